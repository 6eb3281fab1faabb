import assert from "node:assert/strict";
import { generateKeyPairSync, sign as rawSign } from "node:crypto";
import { test } from "node:test";
import {
  canonicalBytes,
  digestOf,
  importPublicKey,
  isDrydockError,
  parseJson,
  signIn,
  signingKeyFromSeed,
} from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { edited, POLICY_FILE, policy, REPLACEMENTS, reordered } from "../testing/index.js";
import { releaseManifestBytes, signRelease } from "./make.js";
import { parseReleaseManifest } from "./manifest.js";
import { ARTIFACT_KINDS, type ArtifactKind } from "./model.js";
import { releaseJsonSchema, releaseSchema, signatureJsonSchema } from "./schema.js";
import { requireReleasedPolicy, verifyRelease } from "./verify.js";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 7));
const OTHER = signingKeyFromSeed(Buffer.alloc(32, 8));
const IMAGE = `registry.test/helper@sha256:${"c".repeat(64)}`;

const artifact = (kind: ArtifactKind) => {
  const bytes = Buffer.from(kind === "boundary-policy" ? POLICY_FILE : `the ${kind}`);
  return {
    id: `${kind}-1`,
    kind,
    path: `parts/${kind}.json`,
    digest: digestOf(bytes),
    bytes: bytes.length,
  };
};

const PARTS = {
  releaseId: "seat-1.0.0",
  artifacts: ARTIFACT_KINDS.map(artifact),
  profile: { id: "guided-purple", version: 1 },
  helperImage: IMAGE,
  proxyImage: IMAGE.replace("helper", "proxy"),
};

const MANIFEST = releaseManifestBytes(PARTS);
const SIGNATURE = signRelease(MANIFEST, KEY);

type Json = { [key: string]: unknown };

const changed = (bytes: Uint8Array, change: (document: Json) => void): Buffer => {
  const document = structuredClone(parseJson(bytes)) as Json;
  change(document);
  return canonicalBytes(document);
};

/** Signed by whoever signs anything. */
const signed = (manifest: Uint8Array): Buffer =>
  canonicalBytes({
    schema_version: "aptl.appliance-signature/v1",
    algorithm: "ed25519",
    key_id: KEY.public.keyId,
    manifest_digest: digestOf(manifest),
    signature: rawSign(null, manifest, KEY.object).toString("base64"),
  });

test("a release that the trusted key signed says what an appliance is made of", () => {
  const release = verifyRelease(MANIFEST, SIGNATURE, KEY.public);
  assert.equal(release.digest, digestOf(MANIFEST));
  assert.deepEqual(release.artifacts, PARTS.artifacts);
  assert.deepEqual(release.boundary, {
    policyDigest: digestOf(Buffer.from(POLICY_FILE)),
    helperImage: PARTS.helperImage,
    proxyImage: PARTS.proxyImage,
  });
  assert.equal(
    release.participant.qualificationDigest,
    artifact("participant-qualification").digest,
  );
  assert.doesNotThrow(() => requireReleasedPolicy(policy, release));
});

test("another implementation signs the same: plain Ed25519 over the manifest's bytes", () => {
  assert.deepEqual(SIGNATURE, signed(MANIFEST));
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = importPublicKey(publicKey.export({ format: "der", type: "spki" }));
  const theirs = changed(SIGNATURE, (document) => {
    document["key_id"] = key.keyId;
    document["signature"] = rawSign(null, MANIFEST, privateKey).toString("base64");
  });
  assert.doesNotThrow(() => verifyRelease(MANIFEST, theirs, key));
  assert.throws(() => verifyRelease(MANIFEST, theirs, KEY.public), {
    code: "RELEASE_KEY_UNTRUSTED",
  });
});

test("the payload is the first seven kinds, whatever their order, and no more", () => {
  const payload = (change: (parts: typeof PARTS.artifacts) => typeof PARTS.artifacts) =>
    parseReleaseManifest(releaseManifestBytes({ ...PARTS, artifacts: change(PARTS.artifacts) }))
      .payloadDigest;
  const ours = payload((parts) => parts);
  const about = new Set(["golden-inventory", "machine-drill"]);
  assert.equal(
    payload((parts) => [...parts].reverse()),
    ours,
  );
  for (const kind of ARTIFACT_KINDS) {
    const larger = payload((parts) =>
      parts.map((part) => (part.kind === kind ? { ...part, bytes: 1 } : part)),
    );
    assert.equal(larger === ours, about.has(kind), kind);
  }
});

test("the policy is the one that is released", () => {
  const release = verifyRelease(MANIFEST, SIGNATURE, KEY.public);
  const another = { ...policy, digest: digestOf(Buffer.from(`${POLICY_FILE}\n`)) };
  assert.throws(() => requireReleasedPolicy(another, release), {
    code: "RELEASE_POLICY_DIFFERENT",
  });
});

const longer = changed(MANIFEST, (document) => {
  document["release_id"] = "seat-1.0.1";
});

/** First the key, then the digest, then the signature: of several wrongs the first is said. */
const UNVERIFIED: readonly (readonly [
  what: string,
  manifest: Uint8Array,
  signature: Uint8Array,
  code: string,
])[] = [
  ["another key", MANIFEST, signRelease(MANIFEST, OTHER), "RELEASE_KEY_UNTRUSTED"],
  ["another key and manifest", longer, signRelease(MANIFEST, OTHER), "RELEASE_KEY_UNTRUSTED"],
  ["another manifest", longer, SIGNATURE, "RELEASE_DIGEST_DIFFERENT"],
  [
    "another manifest and signature",
    longer,
    changed(SIGNATURE, (document) => {
      document["signature"] = Buffer.alloc(64).toString("base64");
    }),
    "RELEASE_DIGEST_DIFFERENT",
  ],
  [
    "another manifest's signature",
    longer,
    changed(SIGNATURE, (document) => {
      document["manifest_digest"] = digestOf(longer);
    }),
    "RELEASE_SIGNATURE_INVALID",
  ],
  [
    "the other key's signature under this one's name",
    MANIFEST,
    changed(signRelease(MANIFEST, OTHER), (document) => {
      document["key_id"] = KEY.public.keyId;
    }),
    "RELEASE_SIGNATURE_INVALID",
  ],
  [
    "a signature of another namespace",
    MANIFEST,
    changed(SIGNATURE, (document) => {
      document["signature"] = signIn("policy", MANIFEST, KEY).toString("base64");
    }),
    "RELEASE_SIGNATURE_INVALID",
  ],
  [
    "a manifest that is none, signed by nobody",
    Buffer.from("[]"),
    SIGNATURE,
    "RELEASE_DIGEST_DIFFERENT",
  ],
  [
    "a manifest that is none, signed",
    Buffer.from("[]"),
    signed(Buffer.from("[]")),
    "RELEASE_INVALID",
  ],
  [
    "a signature that isn't canonical",
    MANIFEST,
    Buffer.concat([SIGNATURE, Buffer.from("\n")]),
    "RELEASE_SIGNATURE_FORM",
  ],
  [
    "a signature of another version",
    MANIFEST,
    Buffer.from(SIGNATURE.toString().replace("/v1", "/v2")),
    "RELEASE_SIGNATURE_FORM",
  ],
  [
    "a signature of another algorithm",
    MANIFEST,
    Buffer.from(SIGNATURE.toString().replace("ed25519", "rsa-pss")),
    "RELEASE_SIGNATURE_FORM",
  ],
  [
    "a signature in another spelling of base64",
    MANIFEST,
    // The last character's spare bits are no part of the value.
    Buffer.from(
      SIGNATURE.toString().replace(
        /[AQgw]==/,
        (end) => `${{ A: "B", Q: "R", g: "h", w: "x" }[end[0] ?? ""]}==`,
      ),
    ),
    "RELEASE_SIGNATURE_FORM",
  ],
];

for (const [what, manifest, signature, code] of UNVERIFIED) {
  test(`a release with ${what} is refused`, () => {
    assert.throws(() => verifyRelease(manifest, signature, KEY.public), {
      code,
      name: "DrydockError",
    });
  });
}

test("a key of small order isn't one, so that nothing verifies by it", () => {
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.alloc(32)]);
  assert.throws(() => importPublicKey(spki), { code: "KEY_SMALL_ORDER" });
});

const artifactsOf = (document: Json) => document["artifacts"] as Json[];
const sectionOf = (document: Json, key: string) => document[key] as Json;

/** Signed all the same: a signature makes nothing true. */
const WRONG: readonly (readonly [what: string, change: (document: Json) => void, code: string])[] =
  [
    ["an unknown key", (document) => Object.assign(document, { more: 1 }), "RELEASE_INVALID"],
    ["eight artifacts", (document) => artifactsOf(document).pop(), "RELEASE_INVALID"],
    [
      "a kind twice",
      (document) => Object.assign(artifactsOf(document)[8] ?? {}, { kind: "golden-disk" }),
      "RELEASE_ARTIFACTS",
    ],
    [
      "an id twice",
      (document) => Object.assign(artifactsOf(document)[8] ?? {}, { artifact_id: "golden-disk-1" }),
      "RELEASE_ARTIFACTS",
    ],
    [
      "a path twice",
      (document) =>
        Object.assign(artifactsOf(document)[8] ?? {}, { path: "parts/golden-disk.json" }),
      "RELEASE_ARTIFACTS",
    ],
    [
      "a path upwards",
      (document) =>
        Object.assign(artifactsOf(document)[8] ?? {}, { path: "parts/../../etc/shadow" }),
      "RELEASE_INVALID",
    ],
    [
      "an absolute path",
      (document) => Object.assign(artifactsOf(document)[8] ?? {}, { path: "/etc/shadow" }),
      "RELEASE_INVALID",
    ],
    [
      "an empty artifact",
      (document) => Object.assign(artifactsOf(document)[8] ?? {}, { size_bytes: 0 }),
      "RELEASE_INVALID",
    ],
    [
      "a payload that grew",
      (document) => Object.assign(artifactsOf(document)[0] ?? {}, { size_bytes: 99 }),
      "RELEASE_PAYLOAD_DIFFERENT",
    ],
    [
      "another payload digest",
      (document) => Object.assign(document, { payload_digest: digestOf(Buffer.from("x")) }),
      "RELEASE_PAYLOAD_DIFFERENT",
    ],
    [
      "another policy bound",
      (document) =>
        Object.assign(sectionOf(document, "boundary"), {
          policy_digest: digestOf(Buffer.from("x")),
        }),
      "RELEASE_BINDING_DIFFERENT",
    ],
    [
      "another profile bound",
      (document) =>
        Object.assign(sectionOf(document, "participant"), {
          profile_manifest_digest: digestOf(Buffer.from("x")),
        }),
      "RELEASE_BINDING_DIFFERENT",
    ],
    [
      "another readiness bound",
      (document) =>
        Object.assign(sectionOf(document, "participant"), {
          readiness_suite_digest: digestOf(Buffer.from("x")),
        }),
      "RELEASE_BINDING_DIFFERENT",
    ],
    [
      "another asset lock bound",
      (document) =>
        Object.assign(sectionOf(document, "participant"), {
          asset_lock_digest: digestOf(Buffer.from("x")),
        }),
      "RELEASE_BINDING_DIFFERENT",
    ],
    [
      "another qualification bound",
      (document) =>
        Object.assign(sectionOf(document, "participant"), {
          qualification_report_digest: digestOf(Buffer.from("x")),
        }),
      "RELEASE_BINDING_DIFFERENT",
    ],
    [
      "a helper by tag",
      (document) =>
        Object.assign(sectionOf(document, "boundary"), { boundary_helper_image: "helper:latest" }),
      "RELEASE_INVALID",
    ],
    [
      "a broker by tag",
      (document) =>
        Object.assign(sectionOf(document, "boundary"), { egress_proxy_image: "proxy:latest" }),
      "RELEASE_INVALID",
    ],
    [
      "no broker",
      (document) => delete sectionOf(document, "boundary")["egress_proxy_image"],
      "RELEASE_INVALID",
    ],
  ];

for (const [what, change, code] of WRONG) {
  test(`a release with ${what} is refused, signed or not`, () => {
    const manifest = changed(MANIFEST, change);
    assert.throws(() => verifyRelease(manifest, signed(manifest), KEY.public), {
      code,
      name: "DrydockError",
    });
    assert.throws(() => signRelease(manifest, KEY), { code, name: "DrydockError" });
  });
}

test("a manifest has one spelling", () => {
  const { artifacts, ...rest } = parseJson(MANIFEST) as Json;
  const turned = Buffer.from(JSON.stringify({ ...rest, artifacts }));
  assert.throws(() => parseReleaseManifest(turned), { code: "RELEASE_INVALID" });
  assert.doesNotThrow(() =>
    parseReleaseManifest(canonicalBytes(reordered(parseJson(MANIFEST), 3))),
  );
});

test("what upstream says of guest and delivery is signed, and passed over", () => {
  const more = changed(MANIFEST, (document) => {
    document["guest"] = { os_id: "ubuntu" };
    document["upgrade_strategy"] = "replace-golden-create-overlay";
  });
  assert.doesNotThrow(() => verifyRelease(more, signRelease(more, KEY), KEY.public));
});

const RUNS = { numRuns: profile.fuzz, seed: profile.seed };
const edits = [
  fc.nat(),
  fc.constantFrom("replace", "remove", "add"),
  fc.constantFrom(...REPLACEMENTS.filter((value) => value !== 1.5)),
] as const;

test("whatever stands in a manifest, it is read or refused with a code; the JSON Schema agrees", () => {
  const validate = new Ajv2020({ strict: true }).compile(structuredClone(releaseJsonSchema()));
  let refused = 0;
  fc.assert(
    fc.property(...edits, (seed, edit, by) => {
      const value = edited(parseJson(MANIFEST), seed, edit, by);
      assert.equal(validate(value), releaseSchema.safeParse(value).success, JSON.stringify(value));
      try {
        parseReleaseManifest(canonicalBytes(value));
      } catch (error) {
        refused += 1;
        assert.ok(isDrydockError(error) && error.code.startsWith("RELEASE_"), String(error));
      }
    }),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});

test("any bytes are a release or refused with a code", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, isManifest) => {
      try {
        if (isManifest) verifyRelease(bytes, signed(bytes), KEY.public);
        else verifyRelease(MANIFEST, bytes, KEY.public);
      } catch (error) {
        assert.ok(isDrydockError(error) && error.code.startsWith("RELEASE_"), String(error));
      }
    }),
    RUNS,
  );
});

test("any change of a byte is noticed", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, by, inManifest) => {
      const bytes = Buffer.from(inManifest ? MANIFEST : SIGNATURE);
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ by;
      const pair = inManifest ? ([bytes, SIGNATURE] as const) : ([MANIFEST, bytes] as const);
      assert.throws(() => verifyRelease(pair[0], pair[1], KEY.public), { name: "DrydockError" });
    }),
    RUNS,
  );
});

test("the signature's JSON Schema accepts what is signed", () => {
  const validate = new Ajv2020({ strict: true }).compile(structuredClone(signatureJsonSchema()));
  assert.ok(validate(parseJson(SIGNATURE)), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...(parseJson(SIGNATURE) as Json), algorithm: "rsa" }));
});
