import assert from "node:assert/strict";
import { test } from "node:test";
import { importPublicKey, type PublicKey, type TrustEntry, trustFrom } from "@drydock/evidence";
import { policyBytesToSign } from "./bytes-to-sign.js";
import { policyBytes } from "./document.js";
import { loadPolicy } from "./load.js";
import { parseEgressPolicy } from "./parse.js";
import { readPublicKey } from "./public-key-file.js";
import { parseSignedPolicy } from "./signed.js";
import { input, keyOf, LIMITS, signatureOver } from "./testing/samples.js";
import type { PolicyKeys } from "./trusted-key.js";

const SIGNER = keyOf(1);
const OTHER = keyOf(2);
const FILE = "policy.json";
const text = JSON.stringify(input({ limits: LIMITS }));
const signed = policyBytes(parseEgressPolicy(text, { file: FILE }));
const by = (key: PublicKey): PolicyKeys => ({ kind: "key", key });

const open = (signature: Uint8Array, keys: PolicyKeys = by(SIGNER.public), policy = text) =>
  parseSignedPolicy(policy, { file: FILE, signature, keys });

test("a policy that its key signed is read, with the signer", () => {
  const { policy, signature } = open(signatureOver(signed, SIGNER));
  assert.equal(signature.keyId, SIGNER.public.keyId);
  assert.deepEqual(policy, parseEgressPolicy(text, { file: FILE }));
});

test("what is signed is what the file means, not how it is laid out", () => {
  const yaml = `# reviewed on Monday
limits: ${JSON.stringify(LIMITS)}
resolvers: [{address: 192.0.2.53, port: 53}]
authorities:
  - {purpose: the model, protocol: tls, port: 443, name: api.example.com, terminate: false}
schema: drydock.egress/v1
`;
  assert.deepEqual(policyBytesToSign(Buffer.from(yaml), { file: FILE }), signed);
  assert.equal(
    open(signatureOver(signed, SIGNER), undefined, yaml).signature.keyId,
    SIGNER.public.keyId,
  );
});

test("one change of meaning makes it another policy", () => {
  const signature = signatureOver(signed, SIGNER);
  for (const [from, to] of [
    ["443", "444"],
    ["api.example.com", "apj.example.com"],
    ['"tls"', '"tcp-opaque"'],
    ["the model", "the mode1"],
    ["192.0.2.53", "192.0.2.54"],
    ["1000000", "1000001"],
  ] as const) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text);
    assert.throws(() => open(signature, undefined, changed), { code: "POLICY_DIGEST_DIFFERENT" });
  }
});

test("the key is judged first, then the digest, then the signature", () => {
  const wrongDigest = { digest: `sha256:${"0".repeat(64)}` };
  const wrongValue = { value: Buffer.alloc(64, 1).toString("base64") };
  const all = { ...wrongDigest, ...wrongValue };
  assert.throws(() => open(signatureOver(signed, OTHER, all)), { code: "POLICY_KEY_UNTRUSTED" });
  assert.throws(() => open(signatureOver(signed, SIGNER, all)), {
    code: "POLICY_DIGEST_DIFFERENT",
  });
  assert.throws(() => open(signatureOver(signed, SIGNER, wrongValue)), {
    code: "POLICY_SIGNATURE_INVALID",
  });
  assert.doesNotThrow(() => open(signatureOver(signed, SIGNER)));
});

test("another key's signature under the trusted key's name is none", () => {
  const forged = signatureOver(signed, OTHER, { keyId: SIGNER.public.keyId });
  assert.throws(() => open(forged), { code: "POLICY_SIGNATURE_INVALID" });
});

test("a signature file is strict", () => {
  for (const [change, code] of [
    [{ namespace: "plan" }, "SHAPE_ENUM"],
    [{ more: 1 }, "SHAPE_KEY_UNKNOWN"],
    [{ keyId: "sha256:00" }, "SHAPE_PATTERN"],
    [{ value: "??" }, "SHAPE_PATTERN"],
  ] as const) {
    assert.throws(() => open(signatureOver(signed, SIGNER, change)), { code });
  }
  assert.throws(() => open(Buffer.from("x")), { code: "JSON_SYNTAX" });
  assert.throws(() => open(Buffer.alloc(4_097, " ")), { code: "JSON_LIMIT" });
});

test("a signed policy leaves no limit to a default, whoever signs it", () => {
  for (const name of Object.keys(LIMITS)) {
    const { [name as keyof typeof LIMITS]: _, ...rest } = LIMITS;
    const without = JSON.stringify(input({ limits: rest }));
    assert.throws(() => open(signatureOver(signed, SIGNER), undefined, without), {
      code: "FILE_INVALID",
      message: new RegExp(`limits\\.${name}`),
    });
    assert.throws(() => policyBytesToSign(Buffer.from(without), { file: FILE }), {
      code: "FILE_INVALID",
    });
    assert.doesNotThrow(() => parseEgressPolicy(without, { file: FILE }));
  }
  const none = JSON.stringify(input());
  assert.throws(() => open(signatureOver(signed, SIGNER), undefined, none), {
    message: /limits/,
  });
});

const NOW = "2026-06-01T00:00:00.000Z";
const trust = (change: Partial<TrustEntry> = {}): PolicyKeys => ({
  kind: "trust",
  now: NOW,
  trust: trustFrom({
    schema: "drydock.trust/v1",
    keys: [
      {
        keyId: SIGNER.public.keyId,
        spki: SIGNER.public.spki,
        roles: ["egress"],
        classes: [],
        namespaces: ["policy"],
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2027-01-01T00:00:00.000Z",
        revoked: null,
        ...change,
      },
    ],
  }),
});

test("a trust file has to let the key sign policies for the egress role, now", () => {
  const signature = signatureOver(signed, SIGNER);
  assert.equal(open(signature, trust()).signature.keyId, SIGNER.public.keyId);
  const changes: readonly Partial<TrustEntry>[] = [
    { namespaces: ["plan"] },
    { roles: ["controller"] },
    { revoked: "2026-05-01T00:00:00.000Z" },
    { revoked: "2026-12-01T00:00:00.000Z" },
    { notBefore: "2026-06-01T00:00:00.001Z" },
    { notAfter: NOW },
    { keyId: OTHER.public.keyId, spki: OTHER.public.spki },
  ];
  for (const change of changes) {
    assert.throws(
      () => open(signature, trust(change)),
      { code: "POLICY_KEY_UNTRUSTED" },
      JSON.stringify(change),
    );
  }
});

test("a small-order key, under which anything verifies, is no key", () => {
  const identity = Buffer.alloc(32);
  identity[0] = 1;
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), identity]);
  assert.throws(() => readPublicKey(spki), { code: "KEY_SMALL_ORDER" });
  assert.throws(() => trust({ spki: spki.toString("base64") }), { code: "KEY_SMALL_ORDER" });
});

test("a key file is PEM, DER or the base64 of a trust file, and public", () => {
  const { public: key, object } = SIGNER;
  const der = Buffer.from(key.spki, "base64");
  const pem = key.object.export({ format: "pem", type: "spki" }).toString();
  for (const form of [der, Buffer.from(pem), Buffer.from(`${key.spki}\n`)])
    assert.equal(readPublicKey(form).keyId, importPublicKey(der).keyId);
  const secret = object.export({ format: "pem", type: "pkcs8" }).toString();
  assert.throws(() => readPublicKey(Buffer.from(secret)), {
    code: "KEY_FORMAT",
    message: /private/,
  });
  for (const bad of ["", "hello", `${pem}${pem}`, pem.replace("PUBLIC", "RSA PUBLIC")])
    assert.throws(() => readPublicKey(Buffer.from(bad)), { code: "KEY_FORMAT" });
});

test("loading: unsigned when nobody asks whose it is, signed when somebody does", () => {
  const bytes = Buffer.from(text);
  const load = (proof: Parameters<typeof loadPolicy>[1]["proof"]) =>
    loadPolicy(bytes, { file: FILE, proof, resolvers: () => [] }).signature?.keyId ?? null;
  assert.equal(load(null), null);
  const signature = signatureOver(signed, SIGNER);
  assert.equal(load({ signature, keys: trust() }), SIGNER.public.keyId);
  assert.throws(() => load({ signature, keys: by(OTHER.public) }), {
    code: "POLICY_KEY_UNTRUSTED",
  });
});
