import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import {
  type Digest,
  derivationKey,
  derive,
  putBytes,
  readSmallObject,
  removeIfPresent,
  type Store,
  storeIoError,
  temporaryPath,
} from "../../store/index.js";
import { imageError } from "../errors.js";
import type { Tools } from "../tools.js";
import { decodeTemplate, type Extent, encodeTemplate, type Template } from "./template.js";

const VERSION = 1;
const BLOCK_BYTES = 4096;
const MIN_BYTES = 16 * 1024 ** 2;
/** Beyond this the block bitmaps alone make the template grow past its bound. */
const MAX_BYTES = 1024 ** 4;
const MAX_TEMPLATE_BYTES = 256 * 1024 ** 2;
const SCAN_BYTES = 1024 ** 2;
const BYTES_PER_INODE = 32 * 1024;
const MAX_INODES = 262_144;
const INODE_BYTES = 256;
/** A block group is what one block of bitmap covers. */
const GROUP_BYTES = BLOCK_BYTES * 8 * BLOCK_BYTES;

/** A formatted, empty disk of one size, kept without its holes. */
export interface UpperDisk {
  readonly sizeBytes: number;
  readonly digest: Digest;
}

/**
 * Prepares the empty ext4 that becomes a run's upper layer. It is formatted on the host because
 * that happens once and costs a copy of half a megabyte afterwards (docs/decisions/0006-upper-disk.md);
 * the host never mounts it, before the run or after.
 *
 * @param sizeBytes a multiple of 4096 from 16 MiB to 1 TiB
 */
export const upperDisk = async (
  store: Store,
  tools: Tools,
  sizeBytes: number,
): Promise<UpperDisk> => {
  if (
    !Number.isSafeInteger(sizeBytes) ||
    sizeBytes % BLOCK_BYTES !== 0 ||
    sizeBytes < MIN_BYTES ||
    sizeBytes > MAX_BYTES
  ) {
    throw imageError("IMAGE_BOUND", `a disk can't have ${sizeBytes} bytes`, {
      fix: "Use a multiple of 4096 from 16 MiB to 1 TiB.",
    });
  }
  const options = formatOptions(sizeBytes);
  const key = derivationKey("upper", VERSION, { sizeBytes, options });
  const { outputs } = await derive(store, key, async () => ({
    upper: putBytes(store, encodeTemplate(await format(store, tools, sizeBytes, options))),
  }));
  if (outputs["upper"] === undefined) throw imageError("IMAGE_INPUT", "the store forgot a disk");
  return { sizeBytes, digest: outputs["upper"].digest };
};

/** Creates a run's own copy at `path`, sparse, mode 0600, owned by the VMM's uid and gid. */
export const createUpper = (
  store: Store,
  disk: UpperDisk,
  target: { readonly path: string; readonly uid: number; readonly gid: number },
): void => {
  const { extents } = decodeTemplate(readSmallObject(store, disk.digest, MAX_TEMPLATE_BYTES));
  const { path, uid, gid } = target;
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, flags, 0o600);
    ftruncateSync(descriptor, disk.sizeBytes);
    for (const { offset, bytes } of extents) {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(descriptor, bytes, at, bytes.length - at, offset + at);
      }
    }
    fchmodSync(descriptor, 0o600);
    fchownSync(descriptor, uid, gid);
  } catch (cause) {
    if (descriptor !== undefined) unlinkSync(path);
    throw storeIoError("create", path, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * No journal: the disk does not outlive its run. No checksums: they cost an emulated CPU time and
 * guard against a host that lies. All metadata at the front and no backups: one run to copy.
 */
const formatOptions = (sizeBytes: number): readonly string[] => [
  "-t",
  "ext4",
  "-b",
  String(BLOCK_BYTES),
  "-m",
  "0",
  "-N",
  String(inodesFor(sizeBytes)),
  "-U",
  "6472796f-646f-8b00-8000-000000000001",
  "-E",
  "hash_seed=6472796f-646f-8b00-8000-000000000002,root_owner=0:0,packed_meta_blocks=1,num_backup_sb=0",
  "-I",
  String(INODE_BYTES),
  "-O",
  "none,dir_index,dir_nlink,ext_attr,extent,extra_isize,filetype,flex_bg,huge_file,large_file,sparse_super2",
];

const inodesFor = (sizeBytes: number): number =>
  Math.min(MAX_INODES, Math.floor(sizeBytes / BYTES_PER_INODE));

const format = async (
  store: Store,
  tools: Tools,
  sizeBytes: number,
  options: readonly string[],
): Promise<Template> => {
  const path = temporaryPath(store);
  const descriptor = openSync(path, "wx+", 0o600);
  try {
    ftruncateSync(descriptor, sizeBytes);
    await tools.run("mke2fs", ["-q", "-F", ...options, path], {
      // The time that e2fsprogs writes into the superblock; 0 would mean "unset".
      env: { E2FSPROGS_FAKE_TIME: "1", MKE2FS_CONFIG: "/dev/null" },
    });
    return { sizeBytes, extents: scan(descriptor, sizeBytes) };
  } finally {
    closeSync(descriptor);
    removeIfPresent(path);
  }
};

/**
 * The blocks that are not all zero. Reading terabytes of holes takes minutes and Node has no
 * SEEK_DATA, so only the front, where packed_meta_blocks puts everything, and the end, which
 * mke2fs wipes, are read; that nothing lies between is seen from the blocks that two truncations
 * give back. Destroys the file.
 */
const scan = (descriptor: number, sizeBytes: number): readonly Extent[] => {
  const groups = Math.ceil(sizeBytes / GROUP_BYTES);
  const metadata = inodesFor(sizeBytes) * INODE_BYTES + groups * 4 * BLOCK_BYTES;
  const front = Math.min(sizeBytes, metadata + 8 * SCAN_BYTES);
  const end = Math.max(front, sizeBytes - SCAN_BYTES);
  const found = [...scanRange(descriptor, 0, front), ...scanRange(descriptor, end, sizeBytes)];
  fsyncSync(descriptor);
  ftruncateSync(descriptor, end);
  const withMiddle = fstatSync(descriptor).blocks;
  ftruncateSync(descriptor, front);
  if (fstatSync(descriptor).blocks === withMiddle) return found;
  throw imageError("IMAGE_TOOL_FAILED", "mke2fs wrote outside the front of the disk", {
    fix: "Install e2fsprogs 1.47, or report this version: `mke2fs -V`.",
  });
};

const scanRange = function* (descriptor: number, from: number, to: number): Generator<Extent> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  let open: { readonly offset: number; readonly blocks: Buffer[] } | undefined;
  for (let offset = from; offset < to; ) {
    const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, to - offset), offset);
    for (let at = 0; at < read; at += BLOCK_BYTES) {
      const block = buffer.subarray(at, Math.min(at + BLOCK_BYTES, read));
      if (!isZero(block)) {
        open ??= { offset: offset + at, blocks: [] };
        open.blocks.push(Buffer.from(block));
      } else if (open !== undefined) {
        yield { offset: open.offset, bytes: Buffer.concat(open.blocks) };
        open = undefined;
      }
    }
    offset += read;
  }
  if (open !== undefined) yield { offset: open.offset, bytes: Buffer.concat(open.blocks) };
};

const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES);

const isZero = (block: Buffer): boolean => block.equals(ZERO_BLOCK.subarray(0, block.length));
