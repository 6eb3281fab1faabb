import { dirname } from "node:path";
import { errnoOf } from "../errors.js";
import type { Controller } from "./detect.js";
import { readControl, writeControl } from "./files.js";
import type { CgroupLimits, EffectiveLimits } from "./limits.js";
import { parseAmount, parseControllers, parseCpuMax } from "./parse.js";

const CPU_PERIOD_US = 100_000;

/** Sets one controller of version 2; see the kernel's admin-guide/cgroup-v2. */
export const setV2 = (directory: string, controller: Controller, limits: CgroupLimits): void => {
  switch (controller) {
    case "memory":
      writeControl(directory, "memory.max", String(limits.memoryBytes));
      if (readControl(directory, "memory.swap.max") !== undefined) {
        writeControl(directory, "memory.swap.max", "0");
      }
      if (readControl(directory, "memory.oom.group") !== undefined) {
        writeControl(directory, "memory.oom.group", "1");
      }
      return;
    case "pids":
      writeControl(directory, "pids.max", String(limits.pids));
      return;
    case "cpu": {
      if (limits.cpuMillis === null) return;
      const quota = Math.floor((limits.cpuMillis * CPU_PERIOD_US) / 1000);
      writeControl(directory, "cpu.max", `${quota} ${CPU_PERIOD_US}`);
      return;
    }
    case "io": {
      if (limits.io === null) return;
      const { device, readBytesPerSecond, writeBytesPerSecond } = limits.io;
      const line = `${device} rbps=${readBytesPerSecond} wbps=${writeBytesPerSecond}`;
      writeControl(directory, "io.max", line);
      return;
    }
  }
};

export const readV2 = (directory: string, controller: Controller): Partial<EffectiveLimits> => {
  const read = (file: string): string => readControl(directory, file) ?? "";
  switch (controller) {
    case "memory":
      return {
        memoryBytes: parseAmount(read("memory.max")),
        // A kernel without swap has no such file, and then nothing can be swapped.
        swapBytes: parseAmount(readControl(directory, "memory.swap.max") ?? "0"),
      };
    case "pids":
      return { pids: parseAmount(read("pids.max")) };
    case "cpu": {
      const max = parseCpuMax(read("cpu.max"));
      return {
        cpuMillis:
          max === undefined || max.quota === null
            ? null
            : Math.floor((max.quota * 1000) / max.period),
      };
    }
    case "io":
      return { io: parseIoMax(read("io.max")) };
  }
};

/**
 * The nearest cgroup, from ours upwards, whose children can have these controllers. One that holds
 * processes can't give them to children ("no internal processes"), except the real root.
 */
export const findV2Parent = (
  current: string,
  mountPoint: string,
  controllers: readonly Controller[],
): string | undefined => {
  for (let directory = current; ; directory = dirname(directory)) {
    if (enable(directory, controllers)) return directory;
    if (directory === mountPoint || !directory.startsWith(`${mountPoint}/`)) return undefined;
  }
};

const enable = (directory: string, controllers: readonly Controller[]): boolean => {
  const enabled = (): readonly string[] =>
    parseControllers(readControl(directory, "cgroup.subtree_control") ?? "");
  const missing = controllers.filter((controller) => !enabled().includes(controller));
  if (missing.length === 0) return true;
  try {
    writeControl(directory, "cgroup.subtree_control", missing.map((name) => `+${name}`).join(" "));
  } catch (error) {
    // EBUSY: it holds processes; ENOENT: its own parent doesn't give it the controller.
    if (
      ["EBUSY", "ENOENT", "EACCES", "EPERM", "EROFS", "EOPNOTSUPP"].includes(errnoOf(error) ?? "")
    )
      return false;
    throw error;
  }
  return controllers.every((controller) => enabled().includes(controller));
};

export const parseIoMax = (text: string): EffectiveLimits["io"] => {
  const [, device, rest] = /^(\d+:\d+) (.*)$/m.exec(text) ?? [];
  const [, read] = /\brbps=(\d+)/.exec(rest ?? "") ?? [];
  const [, write] = /\bwbps=(\d+)/.exec(rest ?? "") ?? [];
  return device === undefined || read === undefined || write === undefined
    ? null
    : { device, readBytesPerSecond: Number(read), writeBytesPerSecond: Number(write) };
};
