import type { Digest } from "@drydock/evidence";
import type { RunVerdict } from "@drydock/ledger";
import type { CommandVerb, Settlement, Task, TaskKind } from "./effect.js";
import type { Ending } from "./ending.js";
import type { Phase } from "./phase.js";
import type { LifecyclePlan } from "./plan.js";
import { forwardRoute, type Stop } from "./route.js";

export interface LifecycleState {
  readonly plan: LifecyclePlan;
  /** Null before `start`. */
  readonly phase: Phase | null;
  /** What is still to be done, in order. */
  readonly ahead: readonly Stop[];
  /** What the way ahead waits for. */
  readonly waiting: Waiting;
  /** Tasks that haven't been answered, by number. */
  readonly out: ReadonlyMap<number, OutTask>;
  readonly nextTask: number;
  /** Kinds of task that were ever asked for: what was asked for may have happened. */
  readonly asked: ReadonlySet<TaskKind>;
  /** Phases whose records wait for the log to be opened. */
  readonly unrecorded: readonly Phase[];
  readonly manifest: Digest | null;
  readonly logOpen: boolean;
  /** The halt generation of the reservation. */
  readonly reservedAt: number | null;
  readonly granted: readonly string[];
  readonly commands: ReadonlyMap<string, CommandState>;
  readonly finishing: boolean;
  readonly ending: Ending | null;
  readonly doubts: readonly string[];
  /** True only when the kernel was seen to list nothing of the run any more. */
  readonly gone: boolean;
  readonly settlement: Settlement;
  readonly verdict: RunVerdict | null;
  readonly done: boolean;
}

export type Waiting =
  | { readonly kind: "start" }
  | { readonly kind: "task"; readonly id: number }
  | { readonly kind: "commands" }
  | { readonly kind: "quiet" }
  | { readonly kind: "nothing" };

export interface OutTask {
  readonly task: Task;
  /** The command it serves, or null for the way ahead. */
  readonly command: string | null;
}

export interface CommandState {
  readonly verb: CommandVerb;
  readonly stage: "checking" | "running";
}

export const initialState = (plan: LifecyclePlan): LifecycleState => ({
  plan,
  phase: null,
  ahead: forwardRoute(plan.channels, plan.quiesced),
  waiting: { kind: "start" },
  out: new Map(),
  nextTask: 1,
  asked: new Set(),
  unrecorded: [],
  manifest: null,
  logOpen: false,
  reservedAt: null,
  granted: [],
  commands: new Map(),
  finishing: false,
  ending: null,
  doubts: [],
  gone: false,
  settlement: "nothing",
  verdict: null,
  done: false,
});
