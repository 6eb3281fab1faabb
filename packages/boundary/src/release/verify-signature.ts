import { digestOf, isSignatureValid, type PublicKey } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { ReleaseSignature } from "./signature.js";

/**
 * Whether a signature is the trusted key's, then whether it speaks of these bytes, then whether it
 * is one. Guard: without it a release is whatever its directory says.
 *
 * @param key supplied apart from the release; `importPublicKey` refuses those of small order.
 * @throws DrydockError RELEASE_KEY_UNTRUSTED, RELEASE_DIGEST_DIFFERENT, RELEASE_SIGNATURE_INVALID
 */
export const verifyReleaseSignature = (
  manifest: Uint8Array,
  { keyId, manifestDigest, value }: ReleaseSignature,
  key: PublicKey,
): void => {
  if (keyId !== key.keyId) {
    refuse("RELEASE_KEY_UNTRUSTED", `the release is signed by ${keyId}, trusted is ${key.keyId}`, {
      fix: "Have it signed by the key that you trust, or name the one that signed it.",
    });
  }
  const digest = digestOf(manifest);
  if (manifestDigest !== digest) {
    refuse(
      "RELEASE_DIGEST_DIFFERENT",
      `the signature is for ${manifestDigest}, this is ${digest}`,
      {
        fix: "Take manifest and signature from the same place.",
      },
    );
  }
  if (!isSignatureValid(manifest, value, key)) {
    refuse("RELEASE_SIGNATURE_INVALID", `the signature isn't one of ${keyId} for this release`, {
      fix: "Have the release signed again.",
    });
  }
};
