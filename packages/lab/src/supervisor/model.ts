import type { ContractState } from "@drydock/acceptance";
import type { ExitReport } from "../exit/index.js";
import type { AcceptanceReport } from "../harness/index.js";
import type { Scan } from "../report/index.js";
import type { ScenarioReport, Unexpected } from "../scenario/index.js";
import type { Abandoned } from "./abandoned.js";

/** A rehearsal on the stand-in, which is started for it and gone after it. */
export interface RehearsalOptions {
  /** Absolute; made unless it is there, and then this user's alone. Exit reports stay in it. */
  readonly directory: string;
  /** Draws what faults leave open: an integer, 0 or more. */
  readonly seed: number;
  /** Names of scenarios; every one there is, unless given. */
  readonly scenarios?: readonly string[];
  /** How often each is played. */
  readonly repeat?: number;
  /** From the start until nothing is played any more, and no mutation passes the fault proxy. */
  readonly deadlineMs?: number;
  /** Whether the supervisor waits after its exit for `search`. */
  readonly isSearched?: boolean;
}

/** Why nothing more was played. */
export const END_CAUSES = [
  /** All of it was, as far as the harness can tell. */
  "played",
  /** The supervisor refused to begin, or couldn't. */
  "not-begun",
  /** The harness's process ended before it said so. */
  "harness-ended",
  "deadline",
  "stopped",
  /** Whoever started the rehearsal is gone. */
  "starter-gone",
  /** The supervisor met an error that nobody provided for. */
  "supervisor-failed",
  /** It ended without a report, or is far too late; said by whoever started the rehearsal. */
  "supervisor-gone",
] as const;
export type EndCause = (typeof END_CAUSES)[number];

/** A contract in a store that a scenario left behind, as the supervisor found and left it. */
export interface LeftContract {
  readonly scenario: string;
  readonly contractId: string;
  readonly state: ContractState;
  /** Whether it was under way, and was taken to RECONCILIATION for that. */
  readonly interrupted: boolean;
}

/** How a rehearsal ended, by whoever supervised it. */
export interface SupervisedExit extends ExitReport {
  readonly cause: EndCause;
  /** An error of the supervisor's own, or of the harness's. */
  readonly unexpected: Unexpected | null;
  /** The scenario that was being played, if one was. */
  readonly interrupted: string | null;
  /** Of its stores. */
  readonly contracts: readonly LeftContract[];
  /** Stores of it that can't be opened, and the code that says why. */
  readonly unreadable: readonly { readonly scenario: string; readonly code: string }[];
  /** Whether the appliance was then as it was when the scenario began; null if it can't be told. */
  readonly applianceAsBefore: boolean | null;
  /** Harness, stand-in, stores and keys are gone. */
  readonly destroyed: boolean;
  /** The stand-in ends no API key by date, as the package doesn't; nothing rests on it. */
  readonly dateExpiry: "unsupported";
  /** From the end of playing until the permission was proven gone, or wasn't. */
  readonly revocationMs: number;
}

/** What is told while it goes on, in this order; `began` and scenarios may be missing. */
export type RehearsalEvent =
  | { readonly type: "began"; readonly planned: number; readonly digest: string }
  | { readonly type: "scenario"; readonly report: ScenarioReport }
  | { readonly type: "exit"; readonly report: SupervisedExit };

export interface RehearsalReport extends AcceptanceReport {
  readonly exit: SupervisedExit;
  /** What was found of a supervisor that ended without its exit, when that was seen. */
  readonly abandoned: readonly Abandoned[];
}

/**
 * Disposed of, it is as if whoever started it were gone: the supervisor plays nothing more, verifies
 * the exit, and searches nothing.
 */
export interface Rehearsal extends Disposable {
  /** Ends after `exit`, or when the supervisor is gone. From the first on for each reader. */
  readonly events: AsyncIterable<RehearsalEvent>;
  /** Always resolves, and before what is searched. What the supervisor couldn't say counts as not confirmed. */
  readonly finished: Promise<RehearsalReport>;
  /** Process id: it outlives whoever started it. */
  readonly supervisor: number;
  /** Plays nothing more. The exit is verified as ever; `finished` says how it went. */
  stop(): void;
  /**
   * Has every file below these directories searched for what nothing may keep: credentials, values of
   * the appliance, and what marks an answer of it. The supervisor does it, who has them; it ends
   * with that. To be asked once, after `finished`.
   *
   * @returns null when it couldn't be done, or nobody is there to do it
   */
  search(directories: readonly string[]): Promise<Scan | null>;
}
