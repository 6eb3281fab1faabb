import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { digestOf } from "../digest/digest.js";
import { DrydockError } from "../errors.js";
import type { Digest } from "../schema/common.js";
import { isSmallOrder } from "./small-order.js";

/** SHA-256 of the key's SPKI DER. */
export type KeyId = Digest;

export interface PublicKey {
  readonly keyId: KeyId;
  /** SubjectPublicKeyInfo, DER, standard base64. */
  readonly spki: string;
  /** The 32 bytes of RFC 8032. */
  readonly raw: Uint8Array;
  readonly object: KeyObject;
}

export interface SigningKey {
  readonly public: PublicKey;
  readonly object: KeyObject;
}

/** RFC 8410 §4: the only SPKI of an Ed25519 key is this prefix and 32 bytes. */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
/** RFC 8410 §7: PKCS #8 around a 32-byte seed. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * The only way in for a public key.
 *
 * @param spki DER bytes.
 * @throws DrydockError KEY_FORMAT, or KEY_SMALL_ORDER.
 */
export const importPublicKey = (spki: Uint8Array): PublicKey => {
  const der = Buffer.from(spki);
  if (der.length !== SPKI_PREFIX.length + 32 || !der.subarray(0, 12).equals(SPKI_PREFIX)) {
    throw new DrydockError("KEY_FORMAT", "not an Ed25519 public key in SPKI DER form", {
      fix: "Export the key with `openssl pkey -pubout -outform DER`.",
    });
  }
  const raw = der.subarray(SPKI_PREFIX.length);
  if (isSmallOrder(raw)) {
    throw new DrydockError("KEY_SMALL_ORDER", "public key of small order: it verifies forgeries", {
      fix: "Make a new key; never use this one.",
    });
  }
  return {
    keyId: digestOf(der),
    spki: der.toString("base64"),
    raw,
    object: createPublicKey({ key: der, format: "der", type: "spki" }),
  };
};

/**
 * @param seed 32 bytes from a cryptographic source.
 * @throws DrydockError KEY_FORMAT
 */
export const signingKeyFromSeed = (seed: Uint8Array): SigningKey => {
  if (seed.length !== 32) throw new DrydockError("KEY_FORMAT", "an Ed25519 seed has 32 bytes");
  const object = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: "der",
    type: "pkcs8",
  });
  const spki = createPublicKey(object).export({ format: "der", type: "spki" });
  return { public: importPublicKey(spki), object };
};

/**
 * @param pkcs8 PEM text of an Ed25519 private key.
 * @throws DrydockError KEY_FORMAT
 */
export const signingKeyFromPem = (pkcs8: string): SigningKey => {
  let object: KeyObject;
  try {
    object = createPrivateKey(pkcs8);
  } catch (cause) {
    throw new DrydockError("KEY_FORMAT", "not a PEM private key", { cause });
  }
  if (object.asymmetricKeyType !== "ed25519") {
    throw new DrydockError("KEY_FORMAT", "the private key is not an Ed25519 key");
  }
  return {
    public: importPublicKey(createPublicKey(object).export({ format: "der", type: "spki" })),
    object,
  };
};

export const signingKeyToPem = (key: SigningKey): string =>
  key.object.export({ format: "pem", type: "pkcs8" }).toString();
