import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, parseAppliancePolicy, policyDocument } from "@drydock/boundary";
import { edited, policies, REPLACEMENTS } from "@drydock/boundary/testing";
import { policyBytesToSign, projectAppliance } from "@drydock/broker";
import {
  canonicalBytes,
  digestOf,
  isDrydockError,
  signIn,
  signingKeyFromSeed,
} from "@drydock/evidence";
import { profile } from "@drydock/testkit";
import fc from "fast-check";

const KEY = signingKeyFromSeed(Buffer.alloc(32, 9));
const RUNS = { numRuns: profile.fuzz * 2, seed: profile.seed };

/** What the broker's reader judges; the rest of the file is the boundary's alone. */
const SHARED = new Set([
  "schema_version",
  "policy_id",
  "generation",
  "default_deny",
  "egress_authorities",
  "egress_proxy_limits",
]);

const file = "policy.json";

const refusal = (read: () => unknown): Error | null => {
  try {
    read();
    return null;
  } catch (error) {
    assert.ok(isDrydockError(error), String(error));
    return error;
  }
};

/** Names as people, attackers and other parsers write them. */
const NAMES = [
  "API.vendor.test.",
  "vendor",
  "vendor..test",
  ".vendor.test",
  "-a.test",
  "a-.test",
  "a_b.test",
  "xn--bcher-kva.test",
  "xn--a.test",
  "r3---sn.test",
  "a.0x1f",
  "1.2.3.4",
  "0x7f.1",
  "a.test:443",
  "[::1]",
  "user@a.test",
  "a.test/",
  "a%2e.test",
  "*.test",
  "bücher.test",
  "a.test\u0000",
  " a.test",
  `${"a".repeat(64)}.test`,
  `${"a.".repeat(127)}test`,
  `${"abc.".repeat(62)}tests`,
];

test("boundary and broker agree on every name", () => {
  const given = fc.sample(policies, { numRuns: 1, seed: profile.seed })[0];
  assert.ok(given);
  const document = policyDocument(given);
  const withName = (name: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        ...document,
        egress_authorities: [
          {
            source: "egress",
            authority: name,
            protocol: "tcp",
            port: 443,
            purpose: "p",
            resolution: "proxy-resolved-all-global",
            failure_disposition: "deny",
          },
        ],
      }),
    );
  const texts = fc.oneof(
    fc.constantFrom(...NAMES),
    fc.domain(),
    fc.string({ unit: fc.constantFrom(..."aX0.-_:*%xn/ü\u3002\uff11".split("")), maxLength: 20 }),
    fc.string(),
  );
  let accepted = 0;
  fc.assert(
    fc.property(texts, (name) => {
      const bytes = withName(name);
      const ours = refusal(() => parseAppliancePolicy(bytes, { file }));
      const theirs = refusal(() => policyBytesToSign(bytes, { file }));
      assert.equal(ours === null, theirs === null, `${JSON.stringify(name)}: ${ours} ${theirs}`);
      if (ours === null) accepted += 1;
    }),
    RUNS,
  );
  assert.ok(accepted > profile.fuzz / 20, `${accepted} names were accepted: too few`);
});

test("boundary and broker agree on which policy is valid, and on what it allows", () => {
  let refused = 0;
  fc.assert(
    fc.property(
      policies.filter(({ egressAuthorities }) => egressAuthorities.length > 0),
      fc.nat(),
      fc.constantFrom("replace", "remove", "add"),
      fc.constantFrom(...REPLACEMENTS),
      (given, seed, edit, by) => {
        const document = policyDocument(given);
        const members = Object.entries(document);
        const shared = Object.fromEntries(members.filter(([key]) => SHARED.has(key)));
        const changed = {
          ...Object.fromEntries(members.filter(([key]) => !SHARED.has(key))),
          ...(edited(shared, seed, edit, by) as Partial<typeof document>),
        };
        // An appliance may have no egress at all; a broker without a door isn't started.
        if (Array.isArray(changed.egress_authorities) && changed.egress_authorities.length === 0)
          return;
        const bytes = Buffer.from(JSON.stringify(changed));
        const ours = refusal(() => parseAppliancePolicy(bytes, { file }));
        // A text that isn't an appliance's at all is taken for an egress policy, and refused as such.
        const theirs = refusal(() => policyBytesToSign(bytes, { file }));
        assert.equal(ours === null, theirs === null, `${ours}\n${theirs}\n${bytes}`);
        if (ours !== null) {
          refused += 1;
          return;
        }
        assert.deepEqual(projected(changed), allowed(bytes));
      },
    ),
    RUNS,
  );
  assert.ok(refused > profile.fuzz / 4, `${refused} edits were refused: too few`);
});

const allowed = (bytes: Buffer): unknown => {
  const { egressAuthorities, egressLimits } = parseAppliancePolicy(bytes, { file });
  return {
    authorities: egressAuthorities.map(({ authority, port }) => `${authority}:${port}`),
    limits: egressLimits,
  };
};

/** By the way that the broker goes, signature and all. */
const projected = (document: object): unknown => {
  const signed = canonicalBytes(document);
  const signature = Buffer.from(
    JSON.stringify({
      namespace: "policy",
      keyId: KEY.public.keyId,
      digest: digestOf(signed),
      value: signIn("policy", signed, KEY).toString("base64"),
    }),
  );
  const { policy } = projectAppliance(JSON.stringify(document), {
    file,
    signature,
    keys: { kind: "key", key: KEY.public },
    resolvers: () => [{ address: formatIpv4(0x09090909), port: 53 }],
  });
  return {
    authorities: policy.grants.map(({ authority: { host, port } }) => `${host}:${port}`),
    limits: {
      maxConnections: policy.limits.maxConnections,
      maxHeaderBytes: policy.limits.maxHeaderBytes,
      headerTimeoutSeconds: policy.limits.headerTimeoutMs / 1_000,
      connectTimeoutSeconds: policy.limits.connectTimeoutMs / 1_000,
      idleTimeoutSeconds: policy.limits.idleTimeoutMs / 1_000,
    },
  };
};
