import { type CanonicalValue, purposeBytes } from "../canonical/index.js";
import type { ReconciliationEvidence } from "./evidence.js";

/** What an authority signs to conclude: everything that the evidence says, and its purpose. */
export const reconciliationMessage = (evidence: Omit<ReconciliationEvidence, "proof">): Buffer =>
  purposeBytes("reconciliation", [evidence.contractId, evidence.operationId], {
    authority_id: evidence.authorityId,
    algorithm: evidence.algorithm,
    nonce: evidence.nonce,
    contract_id: evidence.contractId,
    operation_id: evidence.operationId,
    state_version: evidence.stateVersion,
    outcome: evidence.outcome,
    fingerprint: evidence.fingerprint,
    locator: evidence.locator,
    issued_at: evidence.issuedAt,
  } satisfies CanonicalValue);
