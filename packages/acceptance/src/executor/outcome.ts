import type { Cause, HexDigest, RecoveryContract } from "../contract/index.js";

/**
 * What is known about a mutation's way: `none` none was tried; `proven-not` the appliance got no
 * byte of it; `answered` the appliance answered, so it got all of it; `possible` anything else.
 */
export type Delivery = "none" | "proven-not" | "answered" | "possible";

/** What was sent, and what is known about it. */
export interface Trace {
  /** How often the write client was asked. */
  readonly sends: 0 | 1;
  readonly delivery: Delivery;
  /** Whether the appliance's answer was one that the adapter knows; null without a 2xx. */
  readonly responseUnderstood: boolean | null;
  /** Nothing here ever sends again. */
  readonly automaticRetry: false;
}

export const NOTHING_SENT: Trace = {
  sends: 0,
  delivery: "none",
  responseUnderstood: null,
  automaticRetry: false,
};

interface Ended extends Trace {
  /** As the store has it now. */
  readonly contract: RecoveryContract;
  /**
   * Of the newest revision in the appliance's own history, from before anything was sent. Null where
   * the appliance keeps none, or it couldn't be captured.
   */
  readonly historyHead: HexDigest | null;
}

/** How the forward step ended. Values, bodies and messages aren't in it. */
export type ExecutionOutcome =
  | (Ended & { readonly kind: "verified"; readonly cause: null })
  /** Proven: the appliance is as it was. */
  | (Ended & { readonly kind: "failed"; readonly cause: Cause })
  /** Nobody knows. The target stays locked until somebody looks and signs. */
  | (Ended & { readonly kind: "reconciliation"; readonly cause: Cause });

/** How the way back ended. */
export type RollbackOutcome =
  | (Ended & { readonly kind: "rolled-back"; readonly cause: null })
  /** The change is still there, or something else is. The target stays locked. */
  | (Ended & { readonly kind: "rollback-failed"; readonly cause: Cause })
  | (Ended & { readonly kind: "reconciliation"; readonly cause: Cause });
