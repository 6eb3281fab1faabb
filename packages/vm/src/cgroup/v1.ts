import { readFileSync } from "node:fs";
import type { Controller } from "./detect.js";
import { readControl, writeControl } from "./files.js";
import type { CgroupLimits, EffectiveLimits } from "./limits.js";
import { parseAmount } from "./parse.js";

const CPU_PERIOD_US = 100_000;

/** Sets one controller of version 1; see the kernel's admin-guide/cgroup-v1. */
export const setV1 = (directory: string, controller: Controller, limits: CgroupLimits): void => {
  switch (controller) {
    case "memory":
      writeControl(directory, "memory.limit_in_bytes", String(limits.memoryBytes));
      // Memory and swap together: equal to the memory limit means no swap. Absent without
      // swap accounting; then swappiness 0 is the most that can be said.
      if (readControl(directory, MEMORY_AND_SWAP) !== undefined) {
        writeControl(directory, MEMORY_AND_SWAP, String(limits.memoryBytes));
      } else {
        writeControl(directory, "memory.swappiness", "0");
      }
      return;
    case "pids":
      writeControl(directory, "pids.max", String(limits.pids));
      return;
    case "cpu":
      if (limits.cpuMillis === null) return;
      writeControl(directory, "cpu.cfs_period_us", String(CPU_PERIOD_US));
      writeControl(directory, "cpu.cfs_quota_us", String(quotaOf(limits.cpuMillis)));
      return;
    case "io":
      if (limits.io === null) return;
      writeControl(directory, READ_BPS, `${limits.io.device} ${limits.io.readBytesPerSecond}`);
      writeControl(directory, WRITE_BPS, `${limits.io.device} ${limits.io.writeBytesPerSecond}`);
      return;
  }
};

export const readV1 = (directory: string, controller: Controller): Partial<EffectiveLimits> => {
  const amount = (file: string): number | null => {
    const text = readControl(directory, file);
    return text === undefined ? null : parseAmount(text);
  };
  switch (controller) {
    case "memory": {
      const memoryBytes = amount("memory.limit_in_bytes");
      return { memoryBytes, swapBytes: swapOf(directory, memoryBytes) };
    }
    case "pids":
      return { pids: amount("pids.max") };
    case "cpu": {
      const [quota, period] = [amount("cpu.cfs_quota_us"), amount("cpu.cfs_period_us")];
      return { cpuMillis: quota === null || !period ? null : Math.floor((quota * 1000) / period) };
    }
    case "io":
      return { io: readThrottle(directory) };
  }
};

const MEMORY_AND_SWAP = "memory.memsw.limit_in_bytes";
const READ_BPS = "blkio.throttle.read_bps_device";
const WRITE_BPS = "blkio.throttle.write_bps_device";

const quotaOf = (cpuMillis: number): number => Math.floor((cpuMillis * CPU_PERIOD_US) / 1000);

const swapOf = (directory: string, memoryBytes: number | null): number | null => {
  const both = readControl(directory, MEMORY_AND_SWAP);
  if (both !== undefined) {
    const amount = parseAmount(both);
    return amount === null || memoryBytes === null ? null : amount - memoryBytes;
  }
  // Without accounting, "no swap" is only known when the machine has none.
  const devices = readFileSync("/proc/swaps", "utf8").trim().split("\n").length - 1;
  return devices === 0 ? 0 : null;
};

const readThrottle = (directory: string): EffectiveLimits["io"] => {
  const entry = (file: string): { device: string; value: number } | undefined => {
    const [, device, value] = /^(\d+:\d+) (\d+)$/m.exec(readControl(directory, file) ?? "") ?? [];
    return device === undefined ? undefined : { device, value: Number(value) };
  };
  const [read, write] = [entry(READ_BPS), entry(WRITE_BPS)];
  return read === undefined || write === undefined || read.device !== write.device
    ? null
    : {
        device: read.device,
        readBytesPerSecond: read.value,
        writeBytesPerSecond: write.value,
      };
};
