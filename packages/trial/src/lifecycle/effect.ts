import type { Digest } from "@drydock/evidence";
import type { RunVerdict } from "@drydock/ledger";
import type { Ending, VerdictCeiling } from "./ending.js";
import type { Phase } from "./phase.js";
import type { Deadlines } from "./plan.js";

/**
 * What the lifecycle asks to have done. Effects of one step are performed in their order. A `task`
 * is answered by a `task` event with the same number; everything else isn't answered.
 */
export type Effect =
  | { readonly kind: "task"; readonly id: number; readonly task: Task }
  /** Stop working on it if that is possible; it is answered all the same. */
  | { readonly kind: "cancelTask"; readonly id: number }
  /** Tell the reaper, and make everything recorded so far durable with a checkpoint. */
  | { readonly kind: "enterPhase"; readonly phase: Phase }
  | { readonly kind: "record"; readonly record: LifecycleRecord }
  /** DRIVE has begun: commands are welcome. */
  | { readonly kind: "ready" }
  | { readonly kind: "rejectCommand"; readonly command: string; readonly code: CommandRejection }
  /** Send a `deadline` event `ending` after that time, counted afresh from now. */
  | { readonly kind: "armEnding"; readonly millis: number }
  | { readonly kind: "done"; readonly result: LifecycleResult };

/** The record that an adapter writes for a task is named in docs/lifecycle.md. */
export type Task =
  | { readonly kind: "armReaper"; readonly deadlines: Deadlines }
  | { readonly kind: "propose" }
  | { readonly kind: "sealSource" }
  | { readonly kind: "openLog"; readonly manifest: Digest }
  | { readonly kind: "appendJournal"; readonly manifest: Digest }
  | { readonly kind: "approve"; readonly manifest: Digest }
  | { readonly kind: "checkHalt"; readonly before: string }
  | { readonly kind: "reserve" }
  | { readonly kind: "createSlot" }
  | { readonly kind: "stageFiles" }
  /** The ledger's `intent`: from here on a body may exist. */
  | { readonly kind: "commitIntent" }
  /** Started, limits read back, not running yet. */
  | { readonly kind: "spawnVmm" }
  | {
      readonly kind: "attest";
      readonly stage: "start" | "end";
      readonly channels: readonly string[];
    }
  | { readonly kind: "grantChannel"; readonly channel: string }
  | { readonly kind: "startGuest" }
  | { readonly kind: "handshake" }
  | { readonly kind: "command"; readonly command: string; readonly verb: CommandVerb }
  | { readonly kind: "observe" }
  | { readonly kind: "quiesce" }
  | { readonly kind: "collectArtifacts" }
  /** One channel, before the others; repeating it is harmless. */
  | { readonly kind: "revokeChannel"; readonly channel: string }
  /** Every channel, granted or being granted; repeating it is harmless. */
  | { readonly kind: "revokeChannels" }
  | { readonly kind: "checkpoint" }
  | { readonly kind: "measureUsage" }
  | { readonly kind: "stopGuest"; readonly mode: "orderly" | "kill" }
  | { readonly kind: "destroySlot" }
  /** The canonical checkout, compared with its state before the run. */
  | { readonly kind: "compareSource" }
  | { readonly kind: "settle"; readonly how: Settlement }
  /** The terminal record and the last checkpoint. */
  | { readonly kind: "endLog"; readonly ending: Ending; readonly doubts: readonly string[] }
  | { readonly kind: "deriveVerdict"; readonly ceiling: VerdictCeiling }
  | { readonly kind: "conclude"; readonly outcome: Conclusion }
  /** The one message that lets the reaper end without killing anything. */
  | { readonly kind: "disarmReaper" };

export type TaskKind = Task["kind"];
export type CommandVerb = "exec" | "put" | "get";
export type CommandRejection = "NOT_DRIVING" | "TOO_MANY_COMMANDS" | "DUPLICATE_COMMAND";

/**
 * `nothing`: the ledger never heard of the run. `release`: no body was started. `settle`: the body
 * was seen to be gone. `hold`: nobody knows.
 */
export type Settlement = "nothing" | "release" | "settle" | "hold";

export type Conclusion =
  | { readonly kind: "verdict"; readonly verdict: RunVerdict }
  /** It ended before evidence began. */
  | { readonly kind: "refused"; readonly code: string };

/** What only the lifecycle knows, with the names that the evidence format uses. */
export type LifecycleRecord =
  | {
      readonly type: "phase";
      readonly decision: "entered" | "left" | "skipped" | "failed";
      readonly name: Phase;
    }
  | {
      readonly type: "halt.checked";
      readonly decision: "clear" | "halted";
      readonly at: string;
      readonly generation: number;
    }
  | { readonly type: "deadline.fired"; readonly decision: "wall" | "idle" | "phase" }
  | { readonly type: "guest.lost"; readonly reason: string };

export interface LifecycleResult {
  readonly ending: Ending;
  /** Null when the run ended before there was a log. */
  readonly verdict: RunVerdict | null;
  /** Whether a VMM may ever have run. Without one, the answer is BLOCKED or a usage error. */
  readonly bodyStarted: boolean;
  readonly settlement: Settlement;
  /** Codes of what went wrong while ending. */
  readonly doubts: readonly string[];
}
