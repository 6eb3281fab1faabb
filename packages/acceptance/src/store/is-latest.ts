import type { RecoveryContract } from "../contract/index.js";
import { contractDigest } from "./contract-row.js";
import type { EventRow } from "./event-row.js";

/**
 * Whether a contract is as the last thing that happened to it left it: an earlier row of the same
 * contract is as authentic as the right one.
 */
export const isLatest = (row: EventRow, contract: RecoveryContract): boolean =>
  row.contract_id === contract.contractId &&
  row.state_version === contract.stateVersion &&
  row.contract_digest === contractDigest(contract);
