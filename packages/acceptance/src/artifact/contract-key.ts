import { hkdfSync } from "node:crypto";
import { DrydockError } from "@drydock/evidence";
import { DOMAIN, framed } from "../canonical/index.js";
import type { Identifier } from "../contract/model.js";

export const SALT_BYTES = 32;

const MIN_MASTER_BYTES = 32;

/**
 * The key of one contract's artifacts (RFC 5869). The salt is drawn for each contract, so that two
 * of them under one master key, also with the same id in two stores, have two keys: their nonces
 * are the same, and one nonce twice under one key gives AES-GCM away.
 *
 * @throws DrydockError ARTIFACT_KEY
 */
export const contractKey = (
  master: Uint8Array,
  contractId: Identifier,
  salt: Uint8Array,
): Uint8Array => {
  if (master.length < MIN_MASTER_BYTES) {
    throw new DrydockError("ARTIFACT_KEY", `a key of ${master.length} bytes`, {
      fix: `Use ${MIN_MASTER_BYTES} bytes from a cryptographic source.`,
    });
  }
  if (salt.length !== SALT_BYTES) {
    throw new DrydockError("ARTIFACT_KEY", `a salt of ${salt.length} bytes, not ${SALT_BYTES}`);
  }
  const info = framed([DOMAIN, "artifact-key", contractId]);
  return new Uint8Array(hkdfSync("sha256", master, salt, info, 32));
};
