import {
  type ConfirmationEvidence,
  confirmationMessage,
  ED25519,
  type EvidenceVerifier,
  ed25519Verifier,
  type ReconciliationEvidence,
  type RecoveryContract,
  reconciliationMessage,
} from "@drydock/acceptance";
import { signIn, signingKeyFromSeed } from "@drydock/evidence";
import type { Flaw } from "../model.js";

/** What somebody who looked at the target found. */
export interface Found {
  readonly fingerprint: string;
  readonly locator: number;
}

/**
 * Somebody who confirms the contracts of one scenario and concludes about them, with a key that is
 * made for it and forgotten; and, for what has to be refused, somebody with another key.
 */
export interface Operator {
  readonly verifier: EvidenceVerifier;
  confirm(contract: RecoveryContract, issuedAt: number): ConfirmationEvidence;
  conclude(
    contract: RecoveryContract,
    concluded: {
      readonly outcome: ReconciliationEvidence["outcome"];
      readonly found: Found;
      readonly issuedAt: number;
      readonly flaw: Flaw | null;
    },
  ): ReconciliationEvidence;
}

const AUTHORITY = "operator-of-the-lab";

export const operatorFrom = (seed: Uint8Array, otherSeed: Uint8Array): Operator => {
  const key = signingKeyFromSeed(seed);
  const strangers = signingKeyFromSeed(otherSeed);
  let conclusions = 0;
  return {
    verifier: ed25519Verifier(new Map([[AUTHORITY, key.public]])),
    confirm: (contract, issuedAt) => {
      const evidence = {
        authorityId: AUTHORITY,
        algorithm: ED25519,
        nonce: confirmationNonce(contract),
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
    conclude: (contract, { outcome, found, issuedAt, flaw }) => {
      conclusions += 1;
      const evidence = {
        authorityId: AUTHORITY,
        algorithm: ED25519,
        nonce:
          flaw === "replayed"
            ? confirmationNonce(contract)
            : `of-conclusion-${conclusions}-${contract.contractId}`,
        contractId: contract.contractId,
        operationId: contract.operationId,
        stateVersion: contract.stateVersion - (flaw === "stale" ? 1 : 0),
        outcome,
        ...sealedBy(outcome, flaw === "unchanged" ? unchanged(contract, found) : found),
        issuedAt,
      };
      const signer = flaw === "stranger" ? strangers : key;
      return { ...evidence, proof: signIn("approval", reconciliationMessage(evidence), signer) };
    },
  };
};

const confirmationNonce = ({ contractId }: RecoveryContract): string => `of-${contractId}`;

const unchanged = ({ targetFingerprint }: RecoveryContract, found: Found): Found => ({
  ...found,
  fingerprint: targetFingerprint,
});

/** Who says that nothing was done says nothing of the target either. */
const sealedBy = (
  outcome: ReconciliationEvidence["outcome"],
  { fingerprint, locator }: Found,
): Pick<ReconciliationEvidence, "fingerprint" | "locator"> => {
  switch (outcome) {
    case "confirmed_applied":
      return { fingerprint, locator };
    case "confirmed_rollback_applied":
      return { fingerprint: null, locator };
    case "confirmed_not_applied":
    case "confirmed_rollback_not_applied":
      return { fingerprint: null, locator: null };
  }
};
