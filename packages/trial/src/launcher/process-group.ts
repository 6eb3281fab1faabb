import {
  type Cgroup,
  type CgroupLimits,
  createSlotCgroup,
  joinFiles,
  limitDifferences,
  missingMemberships,
  readLimits,
  type Slot,
  wearsUid,
} from "@drydock/vm";
import type { HelperLimits } from "../contract/index.js";
import type { RunLimits } from "../spec/index.js";

/** Node with our code needs about 70 MiB; the rest is for frames, records and dirty pages. */
const HELPER_MEMORY_BYTES = 512 * 1024 * 1024;
/** Node starts about a dozen threads; the port process has a supervisor besides. */
const HELPER_PIDS = 64;

/**
 * What controller, port process and broker of a run may use. The console's ring is one buffer; a
 * broker's streams hold at most MAX_STREAMS × 2 × 256 KiB.
 */
export const helperLimits = ({
  consoleBytes,
  networkChannels,
}: Pick<RunLimits, "consoleBytes" | "networkChannels">): HelperLimits => ({
  portMemoryBytes: HELPER_MEMORY_BYTES + consoleBytes,
  portPids: HELPER_PIDS,
  controllerMemoryBytes: HELPER_MEMORY_BYTES,
  controllerPids: HELPER_PIDS,
  egressMemoryBytes: networkChannels === 0 ? null : HELPER_MEMORY_BYTES,
  egressPids: networkChannels === 0 ? null : HELPER_PIDS,
});

/** The cgroup of one process that stands between guest and host. */
export class ProcessGroup {
  readonly cgroup: Cgroup;
  readonly #limits: CgroupLimits;

  /**
   * Made, with its limits read back, before the process exists.
   *
   * @throws DrydockError LIMIT_UNATTACHED
   */
  constructor(
    slot: Slot,
    role: "controller" | "port" | "egress",
    { memoryBytes, pids }: Pick<CgroupLimits, "memoryBytes" | "pids">,
  ) {
    this.#limits = { memoryBytes, pids, cpuMillis: null, io: null };
    this.cgroup = createSlotCgroup(slot, role, this.#limits).cgroup;
  }

  /** What the process enters before anything else of it happens. */
  get joinFiles(): readonly string[] {
    return joinFiles(this.cgroup);
  }

  /**
   * What the kernel holds now, against what was set. A process with a namespace of its own is
   * started by a supervisor: both have to be inside, and the one is known by its user only.
   */
  differences(name: string, pid: number, uid: number): readonly string[] {
    return [
      ...limitDifferences(this.#limits, readLimits(this.cgroup)),
      ...missingMemberships(this.cgroup, pid).map((directory) => `not in ${directory}`),
      ...this.cgroup.parts
        .filter(({ directory }) => !wearsUid(directory, uid))
        .map(({ directory }) => `nobody of user ${uid} in ${directory}`),
    ].map((text) => `${name}: ${text}`);
  }
}
