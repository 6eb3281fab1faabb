import type { Duplex } from "node:stream";
import type { ProcessIdentity } from "./jail/process.js";
import type { Slot } from "./jail/slot.js";
import type { SealedTopology } from "./observe/topology.js";
import type { VmmObservation } from "./observe/vmm.js";

/** A file whose content was verified against its digest when it entered the store. */
export interface VmFile {
  readonly path: string;
  readonly digest: string;
}

export interface VmImage {
  readonly kernel: VmFile;
  readonly initrd: VmFile;
  /** erofs with the agent; read-only. */
  readonly agent: VmFile;
  /** erofs with the root of the command; read-only. */
  readonly root: VmFile;
}

/** What one run asks of a VMM. JSON-able. */
export interface VmSpec {
  readonly image: VmImage;
  readonly vcpus: number;
  /** A multiple of 1 MiB. */
  readonly memoryBytes: number;
  /** Size of the upper disk as the guest sees it: sparse on the host, and its upper bound there. */
  readonly upperBytes: number;
  /** A clone of a golden snapshot, or the same machine booted from its kernel. */
  readonly start: "snapshot" | "cold";
  /** Channels that may be granted later, e.g. `drydock.bulk.0`; `drydock.control.0` always is. */
  readonly channels: readonly string[];
}

export const CONTROL_CHANNEL = "drydock.control.0";
export const BULK_CHANNEL = "drydock.bulk.0";
/** Its host end is the broker's: the port process can't connect to its socket. */
export const EGRESS_CHANNEL = "drydock.egress.0";

/** What goes into the sealed manifest, known before anything of the run exists. */
export interface VmIdentity {
  readonly adapter: string;
  readonly version: string;
  readonly binary: string;
  readonly firmware: readonly { readonly name: string; readonly digest: string }[];
  readonly libraries: string;
  /** Of the command line with per-run values replaced by placeholders. */
  readonly arguments: string;
  readonly accelerator: string;
  readonly machine: string;
  readonly cpuModel: string;
}

export interface VmPlan {
  readonly spec: VmSpec;
  readonly identity: VmIdentity;
  readonly topology: SealedTopology;
  /** Null when the machine boots cold. */
  readonly snapshot: { readonly ramDigest: string; readonly stateDigest: string } | null;
}

/** Where the port process finds a VMM. JSON-able: it crosses from the launcher to the port. */
export interface VmEndpoints {
  readonly adapter: string;
  readonly monitor: string;
  readonly console: string;
  /** Socket by channel name, `drydock.control.0` included. */
  readonly channels: Readonly<Record<string, string>>;
  readonly start: { readonly kind: "boot" } | { readonly kind: "restore"; readonly state: string };
}

export interface VmExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what the VMM wrote to stderr: bounded, and not to be trusted. */
  readonly complaint: string;
}

/** A VMM process, seen by whoever spawned it. */
export interface VmProcess extends ProcessIdentity {
  readonly endpoints: VmEndpoints;
  readonly exited: Promise<VmExit>;
  /** SIGKILL; the promise above tells when it is gone. */
  kill(): void;
}

/** What the launcher has prepared for the VMM of one run. */
export interface VmPlace {
  readonly slot: Slot;
  /** `cgroup.procs` files of the run's cgroup. */
  readonly cgroups: readonly string[];
  /** The formatted upper disk. Its name is removed as soon as it is open: nothing to leave behind. */
  readonly upper: string;
}

/** One virtual machine, seen by the unprivileged process that owns its sockets. */
export interface Machine {
  readonly console: Duplex;
  /** The control channel, open from the start. */
  readonly control: Duplex;
  /** Brings the machine to where it can run: state loaded, or ready to boot. It doesn't run yet. */
  start(): Promise<void>;
  resume(): Promise<void>;
  /** Opens a planned channel. @throws DrydockError CHANNEL_UNKNOWN, CHANNEL_STATE */
  grant(channel: string): Promise<Duplex>;
  /**
   * Gives the guest the port of a planned channel whose host end another process holds already.
   *
   * @throws DrydockError CHANNEL_UNKNOWN, CHANNEL_STATE
   */
  plug(channel: string): Promise<void>;
  /** Closes the host's end, whoever holds it, then takes the port out of the guest. Idempotent. */
  revoke(channel: string): Promise<void>;
  /** The machine as its VMM describes it: a VMM fact, not a KERNEL one. */
  observe(): Promise<VmmObservation>;
  onEvent(listener: (event: MachineEvent) => void): () => void;
  /** Ends the VMM. It may already be gone: that is success. */
  quit(): Promise<void>;
}

export type MachineEvent =
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "closed"; readonly reason: string };

/**
 * What the trial needs of a virtual machine monitor. `prepare` and `spawn` run as root, `connect`
 * in the port process: they share nothing but what crosses between them as JSON.
 */
export interface VmmAdapter<Plan extends VmPlan = VmPlan> {
  readonly name: string;
  /** Everything that can be cached or can fail early; leaves no process of the run behind. */
  prepare(spec: VmSpec): Promise<Plan>;
  spawn(plan: Plan, place: VmPlace): Promise<VmProcess>;
  connect(endpoints: VmEndpoints): Promise<Machine>;
}
