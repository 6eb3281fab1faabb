import type { HexDigest, RecoveryContract } from "./model.js";

/**
 * Whether an observed target can be the contract's. Another number may be harmless renumbering, or
 * the target deleted and made anew: nobody can tell, so it is never the same.
 */
export const isSameTarget = (
  contract: Pick<RecoveryContract, "lifecycleLocator">,
  locator: number,
): boolean => contract.lifecycleLocator === locator;

/** A target that looks as before wasn't changed, whoever says so. */
export const looksChanged = (
  contract: Pick<RecoveryContract, "targetFingerprint">,
  fingerprint: HexDigest,
): boolean => contract.targetFingerprint !== fingerprint;
