import {
  type ConfirmationEvidence,
  confirmationMessage,
  ED25519,
  type EvidenceVerifier,
  ed25519Verifier,
  type RecoveryContract,
} from "@drydock/acceptance";
import { signIn, signingKeyFromSeed } from "@drydock/evidence";

/** Somebody who confirms contracts of one scenario, with a key that is made for it and forgotten. */
export interface Operator {
  readonly verifier: EvidenceVerifier;
  confirm(contract: RecoveryContract, issuedAt: number): ConfirmationEvidence;
}

const AUTHORITY = "operator-of-the-lab";

export const operatorFrom = (seed: Uint8Array): Operator => {
  const key = signingKeyFromSeed(seed);
  return {
    verifier: ed25519Verifier(new Map([[AUTHORITY, key.public]])),
    confirm: (contract, issuedAt) => {
      const evidence = {
        authorityId: AUTHORITY,
        algorithm: ED25519,
        nonce: `of-${contract.contractId}`,
        contractId: contract.contractId,
        operationId: contract.operationId,
        targetIdentityDigest: contract.targetIdentityDigest,
        targetFingerprint: contract.targetFingerprint,
        intentDigest: contract.intentDigest,
        issuedAt,
        expiresAt: contract.expiresAt,
      };
      return { ...evidence, proof: signIn("approval", confirmationMessage(evidence), key) };
    },
  };
};
