import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { ED25519_TORSION_SUBGROUP, ed25519 } from "@noble/curves/ed25519.js";
import { digestOf } from "../digest/digest.js";
import { utf8 } from "../testing/bytes.js";
import { testKey } from "../testing/keys.js";
import { importPublicKey, signingKeyFromPem, signingKeyFromSeed, signingKeyToPem } from "./key.js";
import { NAMESPACES, signIn, verifyIn } from "./sign.js";
import { isSmallOrder } from "./small-order.js";
import { isSignatureValid } from "./verify-signature.js";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const spkiOf = (raw: Uint8Array) => Buffer.concat([SPKI_PREFIX, raw]);

/** Every 32-byte string whose y is one of the 8-torsion's, in canonical and other encodings. */
const smallOrderEncodings = (): Buffer[] => {
  const p = 2n ** 255n - 19n;
  const encodings = new Map<string, Buffer>();
  for (const hex of ED25519_TORSION_SUBGROUP) {
    const { y } = ed25519.Point.fromHex(hex, true).toAffine();
    for (const candidate of [y, y + p]) {
      if (candidate >= 2n ** 255n) continue;
      for (const sign of [0n, 1n]) {
        const value = candidate | (sign << 255n);
        const bytes = Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
        encodings.set(bytes.toString("hex"), bytes);
      }
    }
  }
  return [...encodings.values()];
};

test("small-order keys are refused at import in every encoding", () => {
  const encodings = smallOrderEncodings();
  assert(encodings.length >= 12, `${encodings.length} encodings`);
  for (const raw of encodings) {
    assert(isSmallOrder(raw), raw.toString("hex"));
    assert.throws(() => importPublicKey(spkiOf(raw)), { code: "KEY_SMALL_ORDER" });
  }
});

test("the control: node:crypto accepts a forgery under a small-order key", () => {
  const identity = Buffer.alloc(32);
  identity[0] = 1;
  const key = createPublicKey({ key: spkiOf(identity), format: "der", type: "spki" });
  const forged = Buffer.concat([identity, Buffer.alloc(32)]);
  assert(verify(null, utf8("anything at all"), key, forged));
});

test("ordinary keys are not mistaken for small-order ones", () => {
  for (let index = 0; index < 64; index += 1) {
    const key = testKey(`key ${index}`);
    assert(!isSmallOrder(key.public.raw));
    assert(!ed25519.Point.fromBytes(key.public.raw).isSmallOrder());
  }
});

test("keys agree with an independent implementation", () => {
  const seed = Buffer.alloc(32, 7);
  const key = signingKeyFromSeed(seed);
  assert.deepEqual(Buffer.from(key.public.raw), Buffer.from(ed25519.getPublicKey(seed)));
  const message = utf8("message");
  const signature = signIn("policy", message, key);
  const framed = utf8("drydock.dev/signature/v1\npolicy\nmessage");
  assert.deepEqual(signature, Buffer.from(ed25519.sign(framed, seed)));
  assert.equal(key.public.keyId, digestOf(Buffer.from(key.public.spki, "base64")));
});

test("only Ed25519 SPKI of exactly 44 bytes is a key", () => {
  const { publicKey } = generateKeyPairSync("x25519");
  const good = Buffer.from(testKey("a").public.spki, "base64");
  importPublicKey(good);
  for (const bad of [
    publicKey.export({ format: "der", type: "spki" }),
    good.subarray(0, 43),
    Buffer.concat([good, Buffer.from([0])]),
    Buffer.alloc(0),
  ]) {
    assert.throws(() => importPublicKey(bad), { code: "KEY_FORMAT" });
  }
});

test("a private key survives PEM, and other kinds of key are refused", () => {
  const key = testKey("pem");
  assert.equal(signingKeyFromPem(signingKeyToPem(key)).public.keyId, key.public.keyId);
  const { privateKey } = generateKeyPairSync("x25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  assert.throws(() => signingKeyFromPem(pem), { code: "KEY_FORMAT" });
  assert.throws(() => signingKeyFromPem("no key"), { code: "KEY_FORMAT" });
});

test("a signature is worth nothing in another namespace, for another message or key", () => {
  const key = testKey("signer");
  const message = utf8("halt");
  const signature = signIn("halt", message, key);
  assert(verifyIn("halt", message, signature, key.public));
  for (const namespace of ["policy", "plan", "approval", "promotion"] as const) {
    assert(!verifyIn(namespace, message, signature, key.public), namespace);
  }
  assert(!verifyIn("halt", utf8("halt!"), signature, key.public));
  assert(!verifyIn("halt", message, signature, testKey("other").public));
  assert(!isSignatureValid(message, signature, key.public), "unframed");
  assert.equal(new Set(NAMESPACES).size, NAMESPACES.length);
});

test("a signature of another length is false, not an error", () => {
  const key = testKey("signer");
  const signature = signIn("halt", utf8("m"), key);
  for (const length of [0, 63, 65]) {
    const resized = Buffer.alloc(length);
    signature.copy(resized);
    assert(!verifyIn("halt", utf8("m"), resized, key.public));
  }
});
