import { DrydockError } from "@drydock/evidence";
import { sha256Hex } from "../canonical/index.js";
import type { AcceptanceCode } from "../codes.js";
import type { HexDigest, Identifier, Millis, RecoveryContract } from "../contract/model.js";
import { confirmsThis } from "./binding.js";
import type { ConfirmationEvidence } from "./evidence.js";
import { confirmationMessage } from "./message.js";
import { parseConfirmation } from "./parse.js";
import { isProven } from "./proof.js";
import { isTimely } from "./timeliness.js";
import type { EvidenceVerifier } from "./verifier.js";

/** What a contract keeps of evidence that was accepted. */
export interface AcceptedEvidence {
  readonly digest: HexDigest;
  readonly authorityId: Identifier;
  readonly nonce: Identifier;
}

/**
 * Whether this evidence confirms this contract. That its nonce is new is the store's to say.
 *
 * @throws DrydockError EVIDENCE_INVALID, EVIDENCE_MISMATCH, EVIDENCE_TIME or EVIDENCE_UNVERIFIED
 */
export const acceptConfirmation = (
  contract: RecoveryContract,
  given: ConfirmationEvidence,
  { verifier, at }: { readonly verifier: EvidenceVerifier | null; readonly at: Millis },
): AcceptedEvidence => {
  const evidence = parseConfirmation(given);
  if (!confirmsThis(evidence, contract)) refuseEvidence("EVIDENCE_MISMATCH", contract);
  if (!isTimely(evidence, contract, at)) refuseEvidence("EVIDENCE_TIME", contract);
  const message = confirmationMessage(evidence);
  if (!isProven({ ...evidence, message }, verifier)) {
    refuseEvidence("EVIDENCE_UNVERIFIED", contract);
  }
  const { authorityId, nonce } = evidence;
  return { digest: sha256Hex(message), authorityId, nonce };
};

export const refuseEvidence = (code: AcceptanceCode, { contractId }: RecoveryContract): never => {
  throw new DrydockError(code, `contract ${contractId}: its evidence isn't accepted`, {
    fix: "Look at the contract as it is now, and sign that.",
  });
};
