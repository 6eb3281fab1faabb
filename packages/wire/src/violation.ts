import { DrydockError } from "@drydock/evidence";

/** Why a channel was closed. Stable: receipts carry it. */
export type ViolationCode =
  | "frame-oversize"
  | "frame-count"
  | "header-json"
  | "header-field"
  | "unknown-version"
  | "unknown-type"
  | "wrong-run"
  | "wrong-lease"
  | "wrong-generation"
  | "out-of-order"
  | "wrong-previous"
  | "deadline-passed"
  | "payload-length"
  | "payload-digest"
  | "truncated"
  | "unexpected-message"
  | "not-reading"
  | "bulk-type"
  | "bulk-length"
  | "open-refused"
  | "stream-order"
  | "too-many-streams"
  | "unknown-stream"
  | "credit-exceeded"
  | "window-overflow"
  | "after-fin";

/** A broken rule. `detail` names the place; text from the peer in it is quoted and short. */
export interface Violation {
  readonly code: ViolationCode;
  readonly detail: string;
}

export class WireError extends DrydockError<ViolationCode> {
  constructor(violation: Violation) {
    super(violation.code, `${violation.code}: ${violation.detail}`, {
      fix: "The peer broke the channel's rules; the channel is closed and can't be resumed.",
    });
  }
}

/** How a channel ended. `end` is the only clean one. */
export type CloseReason =
  | { readonly kind: "end" }
  | { readonly kind: "violation"; readonly violation: Violation }
  | { readonly kind: "error"; readonly error: Error };

export const violated = (code: ViolationCode, detail: string): WireError =>
  new WireError({ code, detail });
