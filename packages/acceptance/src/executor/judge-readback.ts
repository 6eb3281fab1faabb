import { canonicalise, type JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { FailureClass } from "./cause.js";
import type { Observation } from "./observe.js";

/** What is there after an answer that said yes. */
export type ReadbackJudgement =
  | { readonly kind: "verified" }
  /** Exactly what was there before, number and all: the appliance did nothing. */
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "unclear";
      readonly failureClass: Extract<FailureClass, "READBACK_MOVED" | "READBACK_DIFFERENT">;
    };

/**
 * The answer has no say in it. What is neither the state before nor the one that was asked for
 * isn't a failure: something happened, and nobody knows whose doing it was. So it is with a change
 * that the fingerprint doesn't show: a rollback would have nothing to know it by.
 */
export const judgeReadback = <Intent extends JsonObject, Target extends JsonObject>(
  adapter: Pick<CapabilityAdapter<Intent, Target>, "isSemanticallyVerified">,
  pre: Observation<Target>,
  post: Observation<Target>,
  intent: Intent,
): ReadbackJudgement => {
  if (post.locator !== pre.locator) return { kind: "unclear", failureClass: "READBACK_MOVED" };
  if (canonicalise(post.target) === canonicalise(pre.target)) return { kind: "unchanged" };
  return post.fingerprint !== pre.fingerprint &&
    adapter.isSemanticallyVerified(pre.target, post.target, intent) === true
    ? { kind: "verified" }
    : { kind: "unclear", failureClass: "READBACK_DIFFERENT" };
};
