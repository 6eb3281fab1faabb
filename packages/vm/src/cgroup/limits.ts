/** What the processes of one group may use of the host, as asked for. */
export interface CgroupLimits {
  /** All memory, of a VMM guest RAM and translated code too. Swap is off on top of it. */
  readonly memoryBytes: number;
  /** Threads and processes on the host, not in the guest. */
  readonly pids: number;
  /** Thousandths of one processor: 1500 is one and a half. Null sets none. */
  readonly cpuMillis: number | null;
  /** Null sets none: without a block device to name there is nothing to limit. */
  readonly io: IoLimit | null;
}

export interface IoLimit {
  /** `major:minor` of the disk. */
  readonly device: string;
  readonly readBytesPerSecond: number;
  readonly writeBytesPerSecond: number;
}

/** What the kernel says holds now. Null: the kernel has no such file or no limit. */
export interface EffectiveLimits {
  readonly memoryBytes: number | null;
  /** Memory and swap together may not exceed `memoryBytes`; 0 means no swap at all. */
  readonly swapBytes: number | null;
  readonly pids: number | null;
  readonly cpuMillis: number | null;
  readonly io: IoLimit | null;
}

/**
 * Which limits the kernel doesn't hold as asked. The kernel may round down (memory to whole pages),
 * never up: a limit that is looser than asked for, or absent, is a difference.
 */
export const limitDifferences = (
  wanted: CgroupLimits,
  effective: EffectiveLimits,
): readonly string[] => {
  const differences: string[] = [];
  const atMost = (name: string, limit: number, found: number | null): void => {
    if (found === null) differences.push(`${name}: none, wanted ${limit}`);
    else if (found > limit) differences.push(`${name}: ${found}, wanted ${limit}`);
  };
  atMost("memory", wanted.memoryBytes, effective.memoryBytes);
  atMost("swap", 0, effective.swapBytes);
  atMost("pids", wanted.pids, effective.pids);
  if (wanted.cpuMillis !== null) atMost("cpu", wanted.cpuMillis, effective.cpuMillis);
  if (wanted.io !== null) {
    const found = effective.io?.device === wanted.io.device ? effective.io : null;
    atMost("io read", wanted.io.readBytesPerSecond, found?.readBytesPerSecond ?? null);
    atMost("io write", wanted.io.writeBytesPerSecond, found?.writeBytesPerSecond ?? null);
  }
  return differences;
};
