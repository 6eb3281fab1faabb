import { type Digest, parseJson, shape } from "@drydock/evidence";

/** A signature is some 300 bytes. */
const MAX_SIGNATURE_BYTES = 4_096;

const reader = shape.object({
  namespace: shape.literal("policy"),
  keyId: shape.digest,
  /** Of the signed bytes. */
  digest: shape.digest,
  value: shape.base64,
});

/** A detached signature, as `drydock sign --namespace policy` prints it. */
export interface PolicySignature {
  readonly keyId: Digest;
  readonly digest: Digest;
  /** Ed25519 over the framed bytes, see `signIn`. */
  readonly value: Uint8Array;
}

/** @throws JsonError, ShapeError */
export const parsePolicySignature = (bytes: Uint8Array): PolicySignature => {
  const json = parseJson(bytes, { maxBytes: MAX_SIGNATURE_BYTES });
  const { keyId, digest, value } = reader.read(json, "signature");
  return { keyId, digest, value: Buffer.from(value, "base64") };
};
