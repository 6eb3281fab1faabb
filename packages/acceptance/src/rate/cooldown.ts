import type { ContractState } from "../contract/model.js";

/** States after which a target is left alone for a while. */
export const coolsDown = (state: ContractState): boolean =>
  state === "VERIFIED" ||
  state === "FAILED" ||
  state === "ROLLED_BACK" ||
  state === "ROLLBACK_FAILED";
