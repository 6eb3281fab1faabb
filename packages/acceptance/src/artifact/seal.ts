import { createCipheriv } from "node:crypto";
import { type CanonicalValue, canonicalBytes, DOMAIN, framed } from "../canonical/index.js";
import {
  ARTIFACT_ROLES,
  type ArtifactRole,
  type Identifier,
  type ProtectedArtifacts,
} from "../contract/model.js";
import { contractKey, SALT_BYTES } from "./contract-key.js";
import { nonceOf } from "./nonce.js";

/** 32 bytes or more; whoever has it can read every artifact. */
export type ArtifactMasterKey = Uint8Array;

/** Random bytes from outside, as many as asked for. */
export type Entropy = (length: number) => Uint8Array;

/**
 * Encrypts the three artifacts of one contract, together and once: the key is made here, is no
 * other contract's, and each role has its own nonce under it. There is no way to seal one more.
 *
 * Each is nonce, ciphertext and tag of AES-256-GCM in base64; contract and role are bound to it, so
 * that none can stand in for another.
 *
 * @throws DrydockError CANONICAL_…, ARTIFACT_KEY
 */
export const sealArtifacts = (
  contractId: Identifier,
  values: Readonly<Record<ArtifactRole, CanonicalValue>>,
  { master, entropy }: { readonly master: ArtifactMasterKey; readonly entropy: Entropy },
): ProtectedArtifacts => {
  const salt = entropy(SALT_BYTES);
  const key = contractKey(master, contractId, salt);
  const seal = (role: ArtifactRole): string => {
    const nonce = nonceOf(role);
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(contractId, role));
    return Buffer.concat([
      nonce,
      cipher.update(canonicalBytes(values[role])),
      cipher.final(),
      cipher.getAuthTag(),
    ]).toString("base64");
  };
  const [identity, intent, snapshot] = ARTIFACT_ROLES.map(seal) as [string, string, string];
  return { salt: Buffer.from(salt).toString("hex"), identity, intent, snapshot };
};

export const TAG_BYTES = 16;

export const associatedData = (contractId: Identifier, role: ArtifactRole): Buffer =>
  framed([DOMAIN, contractId, role]);
