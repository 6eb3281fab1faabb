import type { RecoveryContract } from "./model.js";

/** Whether the caller decided upon another version of the contract than the one that is there. */
export const isStale = (
  contract: Pick<RecoveryContract, "stateVersion">,
  seenVersion: number,
): boolean => contract.stateVersion !== seenVersion;
