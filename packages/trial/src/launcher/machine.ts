import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Digest, JsonObject, JsonValue, RunManifest } from "@drydock/evidence";
import { DrydockError } from "@drydock/evidence";
import {
  BULK_CHANNEL,
  type Cgroup,
  type CgroupLimits,
  CONTROL_CHANNEL,
  compareKernel,
  createQemuAdapter,
  createSlotCgroup,
  createUpper,
  type EffectiveLimits,
  EGRESS_CHANNEL,
  ioLimitFor,
  joinFiles,
  limitDifferences,
  missingMemberships,
  observeKernel,
  type QemuAdapter,
  type QemuPlan,
  type ResolvedImage,
  readLimits,
  readUsage,
  type Slot,
  type Store,
  type Tools,
  upperDisk,
  vmmLimits,
} from "@drydock/vm";
import type { Attestation, Spawned, Usage } from "../contract/index.js";

type QemuProcess = Awaited<ReturnType<QemuAdapter["spawn"]>>;

export interface MachineOptions {
  readonly store: Store;
  readonly tools: Tools;
  readonly native: string;
  readonly image: ResolvedImage;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly snapshot: boolean;
  readonly slot: Slot;
  /** Directory on a real disk for the upper layer, which is unlinked as soon as it is open. */
  readonly scratch: string;
  /** Channels that may be granted. */
  readonly channels: readonly string[];
  readonly onNote?: ((note: string) => void) | undefined;
}

/** How long a killed VMM may take to be gone: a process in an uninterruptible wait may take longer. */
const KILL_PATIENCE_MS = 5_000;

/** The VMM of one run, from root's side: prepared, started, looked at, and killed. */
export class RunMachine {
  readonly #options: MachineOptions;
  readonly #adapter: QemuAdapter;
  #plan: QemuPlan | null = null;
  #cgroup: Cgroup | null = null;
  #effective: EffectiveLimits | null = null;
  #vmm: QemuProcess | null = null;
  #upper: number | null = null;

  constructor(options: MachineOptions) {
    this.#options = options;
    const { store, tools, native } = options;
    this.#adapter = createQemuAdapter({
      native,
      directory: join(store.directory, "vmm"),
      createUpper: async (path, bytes) =>
        createUpper(store, await upperDisk(store, tools, bytes), { path, uid: 0, gid: 0 }),
      onSnapshot: () =>
        options.onNote?.("making the snapshot that runs start from, once for this image and size"),
    });
  }

  /** Everything that can be cached: the VMM's bundle, the accelerator, the golden snapshot. */
  async prepare(): Promise<QemuPlan> {
    const { image, cpus, memoryBytes, diskBytes, snapshot, channels } = this.#options;
    this.#plan = await this.#adapter.prepare({
      image: {
        kernel: { path: image.kernelPath, digest: image.digests.kernel },
        initrd: { path: image.initrdPath, digest: image.digests.initrd },
        agent: { path: image.agentPath, digest: image.digests.agent },
        root: { path: image.rootPath, digest: image.digests.root },
      },
      vcpus: cpus,
      memoryBytes,
      upperBytes: diskBytes,
      start: snapshot ? "snapshot" : "cold",
      channels,
    });
    return this.#plan;
  }

  /** The cgroup, with its limits set and read back; recorded before it is made. */
  createCgroup(): void {
    const { cgroup, effective } = createSlotCgroup(this.#options.slot, "", this.#limits);
    this.#effective = effective;
    this.#cgroup = cgroup;
  }

  async createUpper(): Promise<number> {
    const { store, tools, diskBytes, slot } = this.#options;
    const disk = await upperDisk(store, tools, diskBytes);
    createUpper(store, disk, { path: this.#upperPath, uid: slot.vmm.uid, gid: slot.vmm.gid });
    this.#upper = openSync(this.#upperPath, "r");
    return fstatSync(this.#upper).blocks * 512;
  }

  async spawn(): Promise<Spawned> {
    const plan = need(this.#plan);
    const cgroup = need(this.#cgroup);
    const vmm = await this.#adapter.spawn(plan, {
      slot: this.#options.slot,
      cgroups: joinFiles(cgroup),
      upper: this.#upperPath,
    });
    this.#vmm = vmm;
    const effective = readLimits(cgroup);
    return {
      pid: vmm.pid,
      endpoints: vmm.endpoints,
      limits: {
        matches:
          limitDifferences(this.#limits, effective).length === 0 &&
          missingMemberships(cgroup, vmm.pid).length === 0,
        effective: asJson(effective),
      },
    };
  }

  observe(): Attestation {
    const plan = need(this.#plan);
    const cgroup = need(this.#cgroup);
    const vmm = need(this.#vmm);
    const { slot } = this.#options;
    const observed = observeKernel(vmm);
    const comparison = compareKernel(
      plan.topology,
      {
        uid: slot.vmm.uid,
        gid: slot.vmm.gid,
        executable: vmm.executable,
        files: vmm.files,
        limits: need(this.#effective),
        missingMemberships: missingMemberships(cgroup, vmm.pid),
      },
      observed,
      readLimits(cgroup),
    );
    const { descriptors, mounts, ...rest } = observed;
    return {
      observed: asJson({
        ...rest,
        mounts: mounts.map(({ target, type, readOnly }) => ({ target, type, readOnly })),
        descriptors: descriptors.length,
      }),
      differences: comparison.kind === "match" ? [] : comparison.differences,
    };
  }

  usage(): Usage {
    const cgroup = this.#cgroup;
    const used = cgroup === null ? null : readUsage(cgroup);
    return {
      memoryPeakBytes: used?.peakMemoryBytes ?? 0,
      pidsPeak: used?.peakPids ?? 0,
      oomKills: used?.oomKills ?? 0,
      diskBytes: this.#upper === null ? 0 : fstatSync(this.#upper).blocks * 512,
    };
  }

  /** Kills the VMM, if there is one, and waits until the kernel has none. */
  async kill(): Promise<{ dead: boolean }> {
    const vmm = this.#vmm;
    if (vmm === null) return { dead: true };
    vmm.kill();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), KILL_PATIENCE_MS);
    });
    const dead = await Promise.race([vmm.exited.then(() => true), late]);
    clearTimeout(timer);
    return { dead };
  }

  /** Lets go of what this process itself holds of the run. */
  release(): void {
    if (this.#upper !== null) closeSync(this.#upper);
    this.#upper = null;
  }

  /** What the VMM may use; io where the upper layer's disk can be limited. */
  get #limits(): CgroupLimits {
    return { ...vmmLimits(need(this.#plan).shape), io: ioLimitFor(this.#options.scratch) };
  }

  get #upperPath(): string {
    return join(this.#options.scratch, "upper");
  }
}

/** The parts of a plan that a manifest names. */
export const sealedMachine = (
  plan: QemuPlan,
): Pick<RunManifest, "vmm" | "snapshot" | "topology"> & {
  readonly vmmPids: number;
  readonly vmmMemoryBytes: number;
} => {
  const { identity, topology, snapshot, shape } = plan;
  const limits = vmmLimits(shape);
  const { interfaces, namespaces, capabilities, seccomp, noNewPrivileges, mounts } =
    topology.process;
  return {
    vmm: { ...identity, firmware: identity.firmware.map((file) => ({ ...file })) },
    snapshot,
    topology: {
      devices: [...topology.devices, ...topology.grantable]
        .map((device) => ({ ...device }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      channels: sealedChannels(plan.spec.channels),
      process: {
        interfaces: [...interfaces],
        namespaces: [...namespaces],
        capabilities: [...capabilities],
        seccomp,
        noNewPrivileges,
        mounts: mounts.map((mount) => ({ ...mount })),
      },
      tree: topology.treeDigest as Digest | null,
    },
    vmmPids: limits.pids,
    vmmMemoryBytes: limits.memoryBytes,
  };
};

/** What each channel may carry; see docs/channels.md. */
const sealedChannels = (planned: readonly string[]): RunManifest["topology"]["channels"] =>
  CHANNELS.filter(({ name }) => name === CONTROL_CHANNEL || planned.includes(name));

const CHANNELS: RunManifest["topology"]["channels"] = [
  {
    name: BULK_CHANNEL,
    kind: "bulk",
    requestBytes: 16 * 1024 ** 3,
    responseBytes: 16 * 1024 ** 3,
    concurrency: 64,
    deadlineMs: 24 * 3600 * 1000,
    idempotency: "none",
    replay: "refused",
    cancellation: "revoke",
    destination: "port process: streams of commands, the staged source, artifacts",
    receipts: "summary",
  },
  {
    name: CONTROL_CHANNEL,
    kind: "control",
    requestBytes: 256 * 1024,
    responseBytes: 256 * 1024,
    concurrency: 1,
    deadlineMs: 24 * 3600 * 1000,
    idempotency: "keyed",
    replay: "refused",
    cancellation: "revoke",
    destination: "port process: requests to the agent and its answers",
    receipts: "each",
  },
  {
    name: EGRESS_CHANNEL,
    kind: "egress",
    // Of each connection; what the policy says is less.
    requestBytes: 16 * 1024 ** 3,
    responseBytes: 16 * 1024 ** 3,
    concurrency: 64,
    deadlineMs: 24 * 3600 * 1000,
    idempotency: "none",
    replay: "refused",
    cancellation: "revoke",
    destination: "broker: connections to the authorities of egress.policy",
    receipts: "each",
  },
];

const asJson = (value: unknown): JsonObject =>
  JSON.parse(JSON.stringify(value), (_key, item: JsonValue) => item) as JsonObject;

const need = <T>(value: T | null): T => {
  if (value === null) throw new DrydockError("INTERNAL", "a step of the launcher was left out");
  return value;
};
