import type { Digest } from "@drydock/evidence";
import { readCanonical } from "./read.js";
import { signatureSchema } from "./schema.js";

/** A signature is some 350 bytes. */
const MAX_SIGNATURE_BYTES = 4_096;

/** What somebody says about a release, apart from it. */
export interface ReleaseSignature {
  readonly keyId: Digest;
  readonly manifestDigest: Digest;
  /** Ed25519 over the manifest's bytes. */
  readonly value: Uint8Array;
}

/**
 * Reads `aptl.appliance-signature/v1`.
 *
 * @throws DrydockError RELEASE_SIGNATURE_FORM
 */
export const parseReleaseSignature = (bytes: Uint8Array): ReleaseSignature => {
  const document = readCanonical(bytes, signatureSchema, "release signature", {
    code: "RELEASE_SIGNATURE_FORM",
    maxBytes: MAX_SIGNATURE_BYTES,
  });
  return {
    keyId: document.key_id,
    manifestDigest: document.manifest_digest,
    value: Buffer.from(document.signature, "base64"),
  };
};
