import type { ContractState } from "./model.js";

/**
 * States in which nobody else may touch the target. Not VERIFIED: what others change after it a
 * rollback finds as a conflict, and refuses. ROLLBACK_FAILED holds for ever, since nobody knows
 * how to put the target right.
 */
export const holdsTarget = (state: ContractState): boolean =>
  state === "EXECUTING" ||
  state === "RECONCILIATION" ||
  state === "ROLLING_BACK" ||
  state === "ROLLBACK_FAILED";
