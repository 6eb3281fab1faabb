import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { RecoveryContract } from "../contract/index.js";
import type { FailureClass } from "./cause.js";
import type { Observation } from "./observe.js";

/** What is there after an answer that said yes to the way back. */
export type RestoredJudgement =
  | { readonly kind: "restored" }
  | { readonly kind: "different"; readonly failureClass: "READBACK_DIFFERENT" }
  | { readonly kind: "unclear"; readonly failureClass: Extract<FailureClass, "READBACK_MOVED"> };

/** The whole snapshot has to be back: by the adapter's word, and by the fingerprint from before. */
export const judgeRestored = <Intent extends JsonObject, Target extends JsonObject>(
  adapter: Pick<CapabilityAdapter<Intent, Target>, "isRollbackVerified">,
  contract: Pick<RecoveryContract, "lifecycleLocator" | "targetFingerprint">,
  snapshot: Target,
  post: Observation<Target>,
): RestoredJudgement => {
  if (post.locator !== contract.lifecycleLocator) {
    return { kind: "unclear", failureClass: "READBACK_MOVED" };
  }
  return post.fingerprint === contract.targetFingerprint &&
    adapter.isRollbackVerified(snapshot, post.target) === true
    ? { kind: "restored" }
    : { kind: "different", failureClass: "READBACK_DIFFERENT" };
};
