import assert from "node:assert/strict";
import { verify } from "node:crypto";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { flip, utf8 } from "../testing/bytes.js";
import { testKey } from "../testing/keys.js";
import { openEnvelope, preAuthenticationEncoding, signEnvelope } from "./dsse.js";

test("the pre-authentication encoding is the protocol's, in bytes and not characters", () => {
  assert.equal(
    preAuthenticationEncoding("http://example.com/HelloWorld", utf8("hello world")).toString(),
    "DSSEv1 29 http://example.com/HelloWorld 11 hello world",
  );
  assert.equal(preAuthenticationEncoding("é", utf8("ü")).toString(), "DSSEv1 2 é 2 ü");
  assert.equal(preAuthenticationEncoding("", utf8("")).toString(), "DSSEv1 0  0 ");
});

const key = testKey("controller");
const trusted = [{ key: key.public }];

test("an envelope opens for its signer, and any verifier of DSSE can check it", () => {
  const envelope = signEnvelope(utf8("{}"), key);
  assert.equal(openEnvelope(envelope, trusted).payload.toString(), "{}");
  const { payload, payloadType, signatures } = JSON.parse(envelope.toString("utf8"));
  const message = preAuthenticationEncoding(payloadType, Buffer.from(payload, "base64"));
  assert(verify(null, message, key.public.object, Buffer.from(signatures[0].sig, "base64")));
});

test("another key, another keyid, a second signature or a second spelling is refused", () => {
  const envelope = signEnvelope(utf8("{}"), key);
  const other = testKey("other");
  assert.throws(() => openEnvelope(envelope, [{ key: other.public }]), { code: "DSSE_SIGNATURE" });
  const text = envelope.toString("utf8");
  const renamed = utf8(text.replace(key.public.keyId, other.public.keyId));
  assert.throws(() => openEnvelope(renamed, [...trusted, { key: other.public }]), {
    code: "DSSE_SIGNATURE",
  });
  const { signatures, ...rest } = JSON.parse(text);
  for (const changed of [
    { ...rest, signatures: [...signatures, ...signatures] },
    { ...rest, signatures: [] },
    { ...rest, payloadType: "text/plain", signatures },
    { ...rest, signatures, extra: 1 },
  ]) {
    const keys = Object.keys(changed).sort();
    assert.throws(
      () => openEnvelope(utf8(JSON.stringify(changed, undefined)), trusted),
      keys.join(),
    );
  }
  assert.throws(() => openEnvelope(utf8(`${text}\n`), trusted), { code: "JSON_NOT_CANONICAL" });
  // "e30=" and "e31=" decode to the same two bytes; the second is no base64 of any (RFC 4648 §3.5).
  assert.throws(() => openEnvelope(utf8(text.replace('"e30="', '"e31="')), trusted), {
    code: "SHAPE_PATTERN",
  });
});

test("no byte of an envelope is free", () => {
  const envelope = signEnvelope(utf8('{"verdict":"FAIL"}'), key);
  fc.assert(
    fc.property(fc.nat(envelope.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      assert.throws(() => openEnvelope(flip(envelope, at, mask), trusted));
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});
