import { type PublicKey, verifyIn } from "@drydock/evidence";
import type { Identifier } from "../contract/model.js";
import type { EvidenceVerifier } from "./verifier.js";

export const ED25519 = "Ed25519";

/**
 * Accepts signatures in the namespace `approval` of the keys that it is given, each under its
 * authority's id. Purpose and contract are in the message: what confirms can't reconcile.
 */
export const ed25519Verifier =
  (authorities: ReadonlyMap<Identifier, PublicKey>): EvidenceVerifier =>
  ({ authorityId, algorithm, message, proof }) => {
    const key = authorities.get(authorityId);
    return key !== undefined && algorithm === ED25519 && verifyIn("approval", message, proof, key);
  };
