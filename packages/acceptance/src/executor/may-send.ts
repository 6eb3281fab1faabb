import type { RecoveryContract } from "../contract/index.js";
import type { FailureClass } from "./cause.js";
import type { Observation } from "./observe.js";

/**
 * Whether the target still is what the contract was made for. Another number is refused even when
 * all else is the same: it may have been removed and made again, and no API says.
 *
 * @returns null, or why nothing may be sent.
 */
export const mayNotSend = (
  contract: Pick<RecoveryContract, "targetFingerprint" | "lifecycleLocator">,
  live: Pick<Observation<unknown>, "fingerprint" | "locator">,
): Extract<FailureClass, "TARGET_DRIFTED" | "TARGET_MOVED"> | null => {
  if (live.fingerprint !== contract.targetFingerprint) return "TARGET_DRIFTED";
  if (live.locator !== contract.lifecycleLocator) return "TARGET_MOVED";
  return null;
};
