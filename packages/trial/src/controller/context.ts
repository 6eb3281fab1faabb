import {
  type Conclusion,
  DrydockError,
  type JournalRun,
  type LogClock,
  type RunManifest,
  type SealedInJournal,
  type SealedManifest,
  type SigningKey,
  type Trust,
} from "@drydock/evidence";
import type { Actor, Ledger } from "@drydock/ledger";
import type { VmEndpoints } from "@drydock/vm";
import type {
  CONTROLLER,
  EGRESS,
  Inputs,
  LAUNCHER,
  Order,
  OwnEnvironment,
  PlantedFile,
  PORT,
  Usage,
} from "../contract/index.js";
import type { RunLayout, StateLayout } from "../home/index.js";
import type { LifecyclePlan } from "../lifecycle/index.js";
import type { Calls } from "../link/index.js";
import type { ReaperLink } from "./reaper-link.js";
import type { Receipts } from "./receipts.js";
import type { Timers } from "./timers.js";

export type ExecRequest = ReturnType<(typeof CONTROLLER)["exec"]["params"]>;
export type PutRequest = ReturnType<(typeof CONTROLLER)["put"]["params"]>;
export type GetRequest = ReturnType<(typeof CONTROLLER)["get"]["params"]>;

/** A command as the SDK asked for it; the lifecycle knows only its id and verb. */
export type CommandRequest =
  | { readonly verb: "exec"; readonly request: ExecRequest }
  | { readonly verb: "put"; readonly request: PutRequest }
  | { readonly verb: "get"; readonly request: GetRequest }
  /** The sealed source, which goes in before any command of the user. */
  | { readonly verb: "source" };

/** Everything a task may use. What a run learns on its way is in `facts`. */
export interface RunContext {
  readonly order: Order;
  readonly plan: LifecyclePlan;
  readonly state: StateLayout;
  readonly layout: RunLayout;
  readonly key: SigningKey;
  readonly trust: Trust;
  readonly ledger: Ledger;
  readonly launcher: Calls<typeof LAUNCHER>;
  readonly port: Calls<typeof PORT>;
  /** The broker, in a run that may reach something outside. */
  readonly egress: Calls<typeof EGRESS> | null;
  readonly reaper: ReaperLink;
  readonly timers: Timers;
  readonly clock: LogClock;
  readonly entropy: (bytes: number) => Buffer;
  readonly owner: { readonly bootId: string; readonly pid: number; readonly startTicks: number };
  readonly facts: Facts;
}

interface FactTypes {
  actor: Actor;
  inputs: Inputs;
  sealed: SealedManifest<RunManifest>;
  receipts: Receipts;
  journalRun: JournalRun;
  journal: SealedInJournal;
  usage: Usage;
  artifacts: string;
  conclusion: Conclusion;
  /** Where the VMM's sockets are. */
  endpoints: VmEndpoints;
  /** Channels whose end is recorded. */
  revoked: ReadonlySet<string>;
  /** Channels are being taken away: from now on the machine isn't what was sealed, by our own doing. */
  revoking: true;
  leaseRevoked: true;
  /** Files and variables of the run's own, which the guest gets after its greeting. */
  planted: readonly PlantedFile[];
  environment: OwnEnvironment;
  /** What the broker refused so far. */
  denied: number;
  /** A process of the run that died under it, as a code. */
  lost: string;
}

/** What became known, each fact once; asking for one too early is a programming error. */
export class Facts {
  readonly #known: Partial<FactTypes> = {};

  learn<Name extends keyof FactTypes>(name: Name, value: FactTypes[Name]): void {
    this.#known[name] = value;
  }

  get<Name extends keyof FactTypes>(name: Name): FactTypes[Name] {
    const value = this.#known[name];
    if (value === undefined) throw new DrydockError("INTERNAL", `${name} isn't known yet`);
    return value;
  }

  maybe<Name extends keyof FactTypes>(name: Name): FactTypes[Name] | null {
    return this.#known[name] ?? null;
  }
}
