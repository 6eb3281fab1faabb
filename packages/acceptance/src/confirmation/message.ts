import { type CanonicalValue, purposeBytes } from "../canonical/index.js";
import type { ConfirmationEvidence } from "./evidence.js";

/** What an authority signs to confirm: everything that the evidence says, and its purpose. */
export const confirmationMessage = (evidence: Omit<ConfirmationEvidence, "proof">): Buffer =>
  purposeBytes("confirmation", [evidence.contractId, evidence.operationId], {
    authority_id: evidence.authorityId,
    algorithm: evidence.algorithm,
    nonce: evidence.nonce,
    contract_id: evidence.contractId,
    operation_id: evidence.operationId,
    target_identity_digest: evidence.targetIdentityDigest,
    target_fingerprint: evidence.targetFingerprint,
    intent_digest: evidence.intentDigest,
    issued_at: evidence.issuedAt,
    expires_at: evidence.expiresAt,
  } satisfies CanonicalValue);
