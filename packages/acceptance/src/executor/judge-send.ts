import type { SendOutcome } from "../client/index.js";
import type { Cause } from "../contract/index.js";
import { causeOf } from "./cause.js";
import type { Delivery } from "./outcome.js";

/** What one attempt to send proves about the appliance. */
export type SendJudgement =
  /** Nothing happened to it. */
  | { readonly kind: "no-effect"; readonly delivery: Delivery; readonly cause: Cause }
  /** It says that it did it: whether it did is to be read back. */
  | { readonly kind: "look"; readonly delivery: Delivery }
  | { readonly kind: "unknown"; readonly delivery: Delivery; readonly cause: Cause };

const NOT_SENT: ReadonlySet<string> = new Set(["NOT_ALLOW_LISTED", "CONNECT_FAILED"]);

/**
 * Only a request that provably never left is without effect, and one that the appliance refused
 * (RFC 9110 §15.5). Redirects, its own errors, and whatever else went wrong on the way leave it
 * open; so does an outcome that isn't one of the port's.
 */
export const judgeSend = (outcome: SendOutcome): SendJudgement => {
  // A client in JavaScript may have forgotten to return anything.
  switch (outcome?.kind) {
    case "not-sent":
      if (!NOT_SENT.has(outcome.reason)) return unknown("possible", "UNKNOWN");
      return {
        kind: "no-effect",
        delivery: "proven-not",
        cause: causeOf("SEND_NOT_SENT", outcome.reason),
      };
    case "answered":
      return judgeStatus(outcome.status);
    case "ambiguous":
      return unknown("possible", AMBIGUOUS.has(outcome.reason) ? outcome.reason : "UNKNOWN");
    default:
      return unknown("possible", "UNKNOWN");
  }
};

const AMBIGUOUS: ReadonlySet<string> = new Set([
  "RESET",
  "TIMEOUT",
  "TRUNCATED",
  "PROTOCOL",
  "TLS",
  "UNKNOWN",
]);

const judgeStatus = (status: number): SendJudgement => {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return unknown("possible", "UNKNOWN");
  }
  const word = `STATUS_${status}`;
  if (status < 300) return { kind: "look", delivery: "answered" };
  if (status >= 400 && status < 500) {
    return { kind: "no-effect", delivery: "answered", cause: causeOf("SEND_REFUSED", word) };
  }
  return unknown("answered", word);
};

const unknown = (delivery: Delivery, word: string): SendJudgement => ({
  kind: "unknown",
  delivery,
  cause: causeOf("SEND_AMBIGUOUS", word),
});
