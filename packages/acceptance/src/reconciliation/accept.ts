import { shape } from "@drydock/evidence";
import { sha256Hex } from "../canonical/index.js";
import {
  type AcceptedEvidence,
  type EvidenceVerifier,
  isProven,
  isTimely,
  readEvidence,
  refuseEvidence,
} from "../confirmation/index.js";
import { hexDigest, identifier, locator, millis } from "../contract/fields.js";
import type { Millis, RecoveryContract } from "../contract/model.js";
import { resolvesThis } from "./binding.js";
import type { ReconciliationEvidence } from "./evidence.js";
import { reconciliationMessage } from "./message.js";

const said = shape.object({
  authorityId: identifier,
  algorithm: identifier,
  nonce: identifier,
  contractId: identifier,
  operationId: identifier,
  stateVersion: shape.integer(1),
  outcome: shape.oneOf([
    "confirmed_applied",
    "confirmed_not_applied",
    "confirmed_rollback_applied",
    "confirmed_rollback_not_applied",
  ]),
  fingerprint: shape.nullable(hexDigest),
  locator: shape.nullable(locator),
  issuedAt: millis,
});

/** What was signed of the appliance, and what a contract keeps of that. */
export type AcceptedConclusion = AcceptedEvidence &
  Pick<ReconciliationEvidence, "outcome" | "fingerprint" | "locator">;

/**
 * Whether this evidence concludes this contract, and what it says. Whether the conclusion fits what
 * was interrupted is the contract's to say, and that its nonce is new the store's.
 *
 * @throws DrydockError EVIDENCE_INVALID, EVIDENCE_MISMATCH, EVIDENCE_TIME or EVIDENCE_UNVERIFIED
 */
export const acceptReconciliation = (
  contract: RecoveryContract,
  { proof, ...rest }: ReconciliationEvidence,
  { verifier, at }: { readonly verifier: EvidenceVerifier | null; readonly at: Millis },
): AcceptedConclusion => {
  const evidence = readEvidence(said, rest, proof);
  if (!resolvesThis(evidence, contract)) refuseEvidence("EVIDENCE_MISMATCH", contract);
  if (!isTimely(evidence, contract, at)) refuseEvidence("EVIDENCE_TIME", contract);
  const message = reconciliationMessage(evidence);
  if (!isProven({ ...evidence, message }, verifier)) {
    refuseEvidence("EVIDENCE_UNVERIFIED", contract);
  }
  const { authorityId, nonce, outcome, fingerprint, locator: place } = evidence;
  return { digest: sha256Hex(message), authorityId, nonce, outcome, fingerprint, locator: place };
};
