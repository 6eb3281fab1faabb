import { createDecipheriv } from "node:crypto";
import { DrydockError, type JsonValue, parseJson } from "@drydock/evidence";
import type { ArtifactRole, RecoveryContract } from "../contract/model.js";
import { contractKey } from "./contract-key.js";
import { NONCE_BYTES, nonceOf } from "./nonce.js";
import { type ArtifactMasterKey, associatedData, TAG_BYTES } from "./seal.js";

/**
 * Decrypts one artifact of a contract.
 *
 * @throws DrydockError ARTIFACT_UNREADABLE, which says nothing of what was found.
 */
export const openArtifact = (
  contract: Pick<RecoveryContract, "contractId" | "artifacts">,
  role: ArtifactRole,
  master: ArtifactMasterKey,
): JsonValue => {
  const sealed = Buffer.from(contract.artifacts[role], "base64");
  const nonce = sealed.subarray(0, NONCE_BYTES);
  if (sealed.length < NONCE_BYTES + TAG_BYTES || !nonce.equals(nonceOf(role))) {
    throw unreadable(role);
  }
  const salt = Buffer.from(contract.artifacts.salt, "hex");
  const key = contractKey(master, contract.contractId, salt);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(contract.contractId, role));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const ciphertext = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
  try {
    return parseJson(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
  } catch {
    // The reason could only say something about the plain text.
    throw unreadable(role);
  }
};

const unreadable = (role: ArtifactRole): DrydockError =>
  new DrydockError("ARTIFACT_UNREADABLE", `the contract's ${role} can't be decrypted`, {
    fix: "Use the key that the contract was prepared with; nothing was sent.",
  });
