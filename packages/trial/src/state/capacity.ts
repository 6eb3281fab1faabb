import type { Resources } from "@drydock/ledger";

export interface Machine {
  readonly memoryBytes: number;
  readonly cpus: number;
  /** Free on the file system that holds the upper disks. */
  readonly freeDiskBytes: number;
}

/** Far below the number of slots, and as many VMMs as one host's scheduler serves evenly. */
export const MAX_LIVE_BODIES = 64;

/** Processor time is shared by the cgroup and comes back at once, so some of it is lent twice. */
const CPU_OVERCOMMIT = 8;

const DAY_MS = 24 * 3_600_000;

/** What all live runs may occupy: the host keeps an eighth of its memory and disk for itself. */
export const machineCeiling = (machine: Machine): Resources => ({
  liveBodies: MAX_LIVE_BODIES,
  memoryBytes: Math.floor((machine.memoryBytes / 8) * 7),
  cpuMillis: machine.cpus * 1_000 * CPU_OVERCOMMIT,
  diskBytes: Math.floor((machine.freeDiskBytes / 8) * 7),
  wallMillis: MAX_LIVE_BODIES * DAY_MS,
});

/** What one run occupies at most. `vmmMemoryBytes` is its cgroup's limit, guest memory included. */
export const runDemand = (limits: {
  readonly cpus: number;
  readonly vmmMemoryBytes: number;
  readonly diskBytes: number;
  readonly consoleBytes: number;
  readonly outputBytes: number;
  readonly artifactBytes: number;
  readonly wallMs: number;
}): Resources => ({
  liveBodies: 1,
  memoryBytes: limits.vmmMemoryBytes,
  cpuMillis: limits.cpus * 1_000,
  diskBytes: limits.diskBytes + limits.consoleBytes + limits.outputBytes + limits.artifactBytes,
  wallMillis: limits.wallMs,
});
