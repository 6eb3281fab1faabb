import type { Digest } from "@drydock/evidence";
import type { HaltReading, RunVerdict } from "@drydock/ledger";
import type { CommandVerb } from "./effect.js";

export type LifecycleEvent =
  | { readonly type: "start" }
  | { readonly type: "task"; readonly id: number; readonly result: TaskResult }
  /** From the SDK, by an id that it chooses; the arguments stay with the adapter. */
  | { readonly type: "command"; readonly command: string; readonly verb: CommandVerb }
  | { readonly type: "cancelCommand"; readonly command: string }
  /** No further commands: go on when the present ones have ended. */
  | { readonly type: "finish" }
  /** `phase` names no phase: it is the present one that took too long. */
  | { readonly type: "deadline"; readonly which: "wall" | "idle" | "phase" | "ending" }
  /** `violation`: bytes that no honest agent sends. */
  | {
      readonly type: "guest";
      readonly what: "exited" | "silent" | "violation";
      readonly code: string;
    }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "halt" }
  /** A receipt couldn't be made durable. */
  | { readonly type: "evidenceFailed"; readonly code: string };

export type TaskResult =
  | { readonly ok: true; readonly value: TaskValue }
  | { readonly ok: false; readonly code: string };

/** Most tasks answer `none`; these are the answers that decide what comes next. */
export type TaskValue =
  | { readonly kind: "none" }
  | { readonly kind: "sealed"; readonly manifest: Digest }
  | { readonly kind: "halt"; readonly reading: HaltReading }
  | { readonly kind: "reserved"; readonly haltGeneration: number }
  /** Whether the kernel still lists anything of the run. */
  | { readonly kind: "destroyed"; readonly gone: boolean }
  | { readonly kind: "verdict"; readonly verdict: RunVerdict };
