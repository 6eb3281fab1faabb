import { DrydockError } from "../errors.js";
import { canonicalBytes } from "../json/canonical.js";
import { parseCanonical } from "../json/parse-canonical.js";
import type { PublicKey, SigningKey } from "../keys/key.js";
import { signBytes } from "../keys/sign.js";
import { isSignatureValid } from "../keys/verify-signature.js";
import { base64, digest } from "../schema/common.js";
import { array, literal, object } from "../schema/reader.js";

export const DSSE_PAYLOAD_TYPE = "application/vnd.in-toto+json";
/** Far above a verdict with every finding that it may hold. */
export const MAX_ENVELOPE_BYTES = 4 * 1024 * 1024;

const envelopeReader = object({
  payload: base64,
  payloadType: literal(DSSE_PAYLOAD_TYPE),
  /** One: Drydock's verdict has one adjudicator, and further signatures would be unchecked bytes. */
  signatures: array(object({ keyid: digest, sig: base64 }), 1, 1),
});

/** DSSE protocol, "PAE": lengths are decimal and count bytes. */
export const preAuthenticationEncoding = (type: string, body: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `, "utf8"),
    body,
  ]);

/** @returns contents of `verdict.dsse.json`. */
export const signEnvelope = (payload: Uint8Array, key: SigningKey): Buffer =>
  canonicalBytes({
    payload: Buffer.from(payload).toString("base64"),
    payloadType: DSSE_PAYLOAD_TYPE,
    signatures: [
      {
        keyid: key.public.keyId,
        sig: signBytes(preAuthenticationEncoding(DSSE_PAYLOAD_TYPE, payload), key).toString(
          "base64",
        ),
      },
    ],
  });

export interface OpenedEnvelope<K> {
  readonly payload: Buffer;
  readonly signer: K;
}

/**
 * Checks who signed before anything looks into the payload. `keyid` is unauthenticated: it
 * chooses nothing, but has to name the key that did verify, so that no byte here is free.
 *
 * @throws JsonError, ShapeError, DrydockError DSSE_ENCODING or DSSE_SIGNATURE
 */
export const openEnvelope = <K extends { readonly key: PublicKey }>(
  bytes: Uint8Array,
  candidates: readonly K[],
): OpenedEnvelope<K> => {
  const envelope = envelopeReader.read(
    parseCanonical(bytes, { maxBytes: MAX_ENVELOPE_BYTES }),
    "envelope",
  );
  const payload = decode(envelope.payload);
  const message = preAuthenticationEncoding(DSSE_PAYLOAD_TYPE, payload);
  const [signature] = envelope.signatures;
  const bytesOfSignature = decode(signature?.sig ?? "");
  const signer = candidates.find(
    ({ key }) => key.keyId === signature?.keyid && isSignatureValid(message, bytesOfSignature, key),
  );
  if (signer === undefined) {
    throw new DrydockError("DSSE_SIGNATURE", "signed by no key that is trusted for verdicts", {
      fix: "Pass a trust file that lists the controller's key for namespace verdict.",
    });
  }
  return { payload, signer };
};

/**
 * The payload, whoever signed it: for what is only shown.
 *
 * @throws JsonError, ShapeError, DrydockError DSSE_ENCODING
 */
export const readUnverified = (bytes: Uint8Array): Buffer =>
  decode(
    envelopeReader.read(parseCanonical(bytes, { maxBytes: MAX_ENVELOPE_BYTES }), "envelope")
      .payload,
  );

/** Node's decoder ignores what isn't base64; a signed file has one spelling. */
const decode = (text: string): Buffer => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) {
    throw new DrydockError("DSSE_ENCODING", "not standard base64 with its padding");
  }
  return bytes;
};
