import { DrydockError, importPublicKey, type PublicKey } from "@drydock/evidence";

/** RFC 7468 §13. Only the public half: a private key isn't named to check something. */
const PEM = /^-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----[\r\n]*$/;

const BASE64 = /^([A-Za-z0-9+/]+={0,2})[\r\n]*$/;

/**
 * The public key in a file: PEM, the bare DER, or its base64 as a trust file has it under `spki`.
 *
 * @throws DrydockError KEY_FORMAT, KEY_SMALL_ORDER
 */
export const readPublicKey = (bytes: Uint8Array): PublicKey => {
  const text = Buffer.from(bytes).toString("latin1");
  if (text.includes("PRIVATE KEY")) {
    throw new DrydockError("KEY_FORMAT", "this file holds a private key", {
      fix: "Name its public half: `openssl pkey -in KEY -pubout`.",
    });
  }
  const [, body] = PEM.exec(text) ?? BASE64.exec(text) ?? [];
  return importPublicKey(body === undefined ? bytes : Buffer.from(body, "base64"));
};
