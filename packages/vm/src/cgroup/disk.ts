import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../errors.js";
import { detectHierarchies } from "./detect.js";
import type { IoLimit } from "./limits.js";

/**
 * Half of what a SATA SSD gives: a guest that hammers its disk leaves the other half to the host,
 * and a test suite never notices.
 */
const DISK_BYTES_PER_SECOND = 256 * 1024 * 1024;

/**
 * The io limit for a directory's disk, or null where there is nothing to limit: no controller, or a
 * file system without a block device of its own (tmpfs, overlay, btrfs).
 */
export const ioLimitFor = (directory: string): IoLimit | null => {
  if (detectHierarchies().io === undefined) return null;
  const device = diskOf(directory);
  return device === null
    ? null
    : {
        device,
        readBytesPerSecond: DISK_BYTES_PER_SECOND,
        writeBytesPerSecond: DISK_BYTES_PER_SECOND,
      };
};

/** `major:minor` of the whole disk below a path: limits go on disks, not on their partitions. */
export const diskOf = (path: string): string | null => {
  const { dev } = statSync(path, { bigint: true });
  try {
    const block = realpathSync(join("/sys/dev/block", deviceNumber(dev)));
    const disk = isPartition(block) ? dirname(block) : block;
    return readFileSync(join(disk, "dev"), "utf8").trim();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
};

const isPartition = (block: string): boolean => {
  try {
    readFileSync(join(block, "partition"));
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
};

/** makedev(3) of Linux, taken apart. */
export const deviceNumber = (device: bigint): string => {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  return `${major}:${minor}`;
};
