import type { RecoveryContract } from "../contract/index.js";
import type { FailureClass } from "./cause.js";
import type { Observation } from "./observe.js";

/**
 * Whether the target still is what the change left: the fingerprint that was sealed with VERIFIED,
 * not the one from before. Whatever else is there is somebody's edit, and is never overwritten.
 *
 * @returns null, or why nothing may be sent.
 */
export const mayNotRollBack = (
  contract: Pick<RecoveryContract, "verifiedTargetFingerprint" | "lifecycleLocator">,
  live: Pick<Observation<unknown>, "fingerprint" | "locator">,
): Extract<FailureClass, "TARGET_DRIFTED" | "TARGET_MOVED"> | null => {
  if (live.fingerprint !== contract.verifiedTargetFingerprint) return "TARGET_DRIFTED";
  if (live.locator !== contract.lifecycleLocator) return "TARGET_MOVED";
  return null;
};
