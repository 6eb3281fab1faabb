import type { RecoveryContract } from "../contract/model.js";
import type { ReconciliationEvidence } from "./evidence.js";

/** Whether evidence is about this contract as it is now, not as it was when it last got lost. */
export const resolvesThis = (
  evidence: ReconciliationEvidence,
  contract: RecoveryContract,
): boolean =>
  evidence.contractId === contract.contractId &&
  evidence.operationId === contract.operationId &&
  evidence.stateVersion === contract.stateVersion;
