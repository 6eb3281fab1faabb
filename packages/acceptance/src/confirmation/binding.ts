import type { RecoveryContract } from "../contract/model.js";
import type { ConfirmationEvidence } from "./evidence.js";

/** Whether evidence is about exactly this contract: what it names, what it changes, how long. */
export const confirmsThis = (evidence: ConfirmationEvidence, contract: RecoveryContract): boolean =>
  evidence.contractId === contract.contractId &&
  evidence.operationId === contract.operationId &&
  evidence.targetIdentityDigest === contract.targetIdentityDigest &&
  evidence.targetFingerprint === contract.targetFingerprint &&
  evidence.intentDigest === contract.intentDigest &&
  evidence.expiresAt === contract.expiresAt;
