import type { Scope } from "../canonical/index.js";
import type { RecoveryContract } from "../contract/index.js";

/** Whether this adapter is the one that the contract speaks of, its way back included. */
export const isContractsAdapter = (
  contract: RecoveryContract,
  adapter: Scope & Pick<RecoveryContract, "rollbackPlanVersion">,
): boolean =>
  contract.capability === adapter.capability &&
  contract.endpointSymbol === adapter.endpointSymbol &&
  contract.httpMethod === adapter.httpMethod &&
  contract.rollbackPlanVersion === adapter.rollbackPlanVersion;
