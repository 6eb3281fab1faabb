import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalBytes, type Digest, DrydockError, digestOf } from "@drydock/evidence";
import { projectAppliance } from "./appliance.js";
import { policyBytesToSign } from "./bytes-to-sign.js";
import { policyDocument } from "./document.js";
import { LIMIT_NAMES, LIMIT_RANGES } from "./limits.js";
import { loadPolicy } from "./load.js";
import { policyFromDocument } from "./parse.js";
import { DEFAULT_LIMITS } from "./schema.js";
import { keyOf, signatureOver } from "./testing/samples.js";

const SIGNER = keyOf(3);
const RESOLVERS = [{ address: "192.0.2.53", port: 53 }];

const authority = (change: object = {}) => ({
  source: "egress",
  authority: "api.example.com",
  protocol: "tcp",
  port: 443,
  purpose: "the model",
  resolution: "proxy-resolved-all-global",
  failure_disposition: "deny",
  ...change,
});

const LIMITS = {
  max_connections: 32,
  max_header_bytes: 4_096,
  header_timeout_seconds: 5,
  connect_timeout_seconds: 10,
  idle_timeout_seconds: 60,
};

const appliance = (change: object = {}) => ({
  schema_version: "aptl.appliance-boundary/v1",
  policy_id: "seat-default",
  generation: 3,
  workbench_policy_version: "participant-workbench-profile/v1",
  default_deny: true,
  platform_networks: { participant: "x.net=participant" },
  platform_anchors: { participant: "x.zone=participant" },
  fixed_crossings: [],
  egress_authorities: [authority()],
  egress_proxy_limits: LIMITS,
  guest_publications: [],
  host_mcp_contract: null,
  docker_authority: { require_guest_daemon: true },
  ...change,
});

const keys = { kind: "key", key: SIGNER.public } as const;

const project = (document: object, signature = signatureOver(canonicalBytes(document), SIGNER)) =>
  projectAppliance(JSON.stringify(document, null, 1), {
    file: "appliance.json",
    signature,
    keys,
    resolvers: () => RESOLVERS,
  });

test("the broker's part of a signed appliance policy: authorities, and limits in its units", () => {
  const document = appliance({
    egress_authorities: [
      authority(),
      authority({ authority: "Updates.Example.com.", port: 8443, purpose: "updates" }),
    ],
  });
  const { policy, signature } = project(document);
  assert.equal(signature.keyId, SIGNER.public.keyId);
  assert.deepEqual(
    policy.grants.map(({ authority: { host, port }, protocol }) => [host, port, protocol]),
    [
      ["api.example.com", 443, "tls"],
      ["updates.example.com", 8443, "tcp-opaque"],
    ],
  );
  for (const { terminate, allowEch, requests } of policy.grants)
    assert.deepEqual([terminate, allowEch, requests], [false, false, null]);
  assert.deepEqual(policy.limits, {
    ...DEFAULT_LIMITS,
    maxConnections: 32,
    maxHeaderBytes: 4_096,
    headerTimeoutMs: 5_000,
    helloTimeoutMs: 5_000,
    connectTimeoutMs: 10_000,
    idleTimeoutMs: 60_000,
  });
  const [first, second] = policy.grants;
  const lines = JSON.stringify(document, null, 1).split("\n");
  assert.match(lines[first?.line ?? 0] ?? "", /"source"/);
  assert.ok((second?.line ?? 0) > (first?.line ?? 0));
  // What it gives is a policy like any other.
  assert.equal(policyFromDocument(policyDocument(policy)).digest, policy.digest);
});

test("unsigned, or signed for something else, it isn't projected", () => {
  const document = appliance();
  const bytes = Buffer.from(JSON.stringify(document));
  const load = (proof: Parameters<typeof loadPolicy>[1]["proof"]) => () =>
    loadPolicy(bytes, { file: "appliance.json", proof, resolvers: () => RESOLVERS });
  assert.throws(load(null), { code: "POLICY_UNSIGNED" });
  const signed = policyBytesToSign(bytes, { file: "appliance.json" });
  assert.doesNotThrow(load({ signature: signatureOver(signed, SIGNER), keys }));
  assert.throws(load({ signature: signatureOver(signed, keyOf(4)), keys }), {
    code: "POLICY_KEY_UNTRUSTED",
  });
  // Parts that the broker doesn't read are signed with the rest.
  const relabelled = appliance({ platform_anchors: { participant: "x.zone=target" } });
  assert.throws(() => project(relabelled, signatureOver(canonicalBytes(document), SIGNER)), {
    code: "POLICY_DIGEST_DIFFERENT",
  });
});

/** Each differs from what is projected above in one thing, and is properly signed. */
const REFUSED: Readonly<Record<string, object>> = {
  "no authority": { egress_authorities: [] },
  "a UDP authority": { egress_authorities: [authority({ protocol: "udp" })] },
  "plain HTTP": { egress_authorities: [authority({ protocol: "http" })] },
  "TLS by name": { egress_authorities: [authority({ protocol: "tls" })] },
  "NTP, over TCP": { egress_authorities: [authority({ port: 123 })] },
  "NTS key establishment": { egress_authorities: [authority({ port: 4460 })] },
  "the time protocol": { egress_authorities: [authority({ port: 37 })] },
  daytime: { egress_authorities: [authority({ port: 13 })] },
  termination: { egress_authorities: [authority({ terminate: true })] },
  "a secret": { egress_authorities: [authority({ secret: "NAME" })] },
  "an ECH exception": { egress_authorities: [authority({ allowEch: true })] },
  "request rules": { egress_authorities: [authority({ requests: [] })] },
  "another source": { egress_authorities: [authority({ source: "management" })] },
  "another resolution": { egress_authorities: [authority({ resolution: "any" })] },
  "another failure": { egress_authorities: [authority({ failure_disposition: "allow" })] },
  "an IP address": { egress_authorities: [authority({ authority: "192.0.2.1" })] },
  "a wildcard": { egress_authorities: [authority({ authority: "*.example.com" })] },
  "a URL": { egress_authorities: [authority({ authority: "https://api.example.com" })] },
  "a single label": { egress_authorities: [authority({ authority: "intranet" })] },
  "one authority twice": {
    egress_authorities: [authority(), authority({ authority: "API.example.com." })],
  },
  "port 0": { egress_authorities: [authority({ port: 0 })] },
  "a default of allow": { default_deny: false },
  "the version without zones": { schema_version: "aptl.appliance-boundary/v2" },
  "generation 0": { generation: 0 },
  "an upper-case id": { policy_id: "Seat" },
  "an unknown key": { egress_secrets: [] },
  "an unknown limit": { egress_proxy_limits: { ...LIMITS, lifetime_seconds: 60 } },
  "a limit that is true": { egress_proxy_limits: { ...LIMITS, max_connections: true } },
};

test("what isn't an exact TCP authority under bounds is refused, though signed", () => {
  assert.doesNotThrow(() => project(appliance()));
  for (const [what, change] of Object.entries(REFUSED)) {
    assert.throws(() => project(appliance(change)), { code: "FILE_INVALID" }, what);
  }
});

const RANGES: Readonly<Record<keyof typeof LIMITS, readonly [min: number, max: number]>> = {
  max_connections: [1, 256],
  max_header_bytes: [1_024, 16_384],
  header_timeout_seconds: [1, 30],
  connect_timeout_seconds: [1, 60],
  idle_timeout_seconds: [5, 600],
};

test("all five limits are required, each within its range", () => {
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    const withLimit = (value: unknown) => () =>
      project(appliance({ egress_proxy_limits: { ...LIMITS, [name]: value } }));
    assert.doesNotThrow(withLimit(min), name);
    assert.doesNotThrow(withLimit(max), name);
    for (const value of [min - 1, max + 1, String(min)])
      assert.throws(withLimit(value), { code: "FILE_INVALID" }, `${name} ${value}`);
    const { [name as keyof typeof LIMITS]: _, ...rest } = LIMITS;
    assert.throws(() => project(appliance({ egress_proxy_limits: rest })), {
      code: "FILE_INVALID",
    });
  }
});

test("no signed limit leads out of the ranges of a policy", () => {
  for (const end of [0, 1] as const) {
    const limits = Object.fromEntries(
      Object.entries(RANGES).map(([name, range]) => [name, range[end]]),
    );
    const { policy } = project(appliance({ egress_proxy_limits: limits }));
    for (const name of LIMIT_NAMES) {
      const { min, max } = LIMIT_RANGES[name];
      assert.ok(policy.limits[name] >= min && policy.limits[name] <= max, name);
    }
  }
});

test("signed resolvers are asked, and nobody else; without them, whoever is named", () => {
  const servers = (document: object) => project(document).policy.resolvers;
  assert.deepEqual(servers(appliance()), RESOLVERS);
  assert.deepEqual(servers(appliance({ egress_resolvers: [] })), RESOLVERS);
  const signed = appliance({ egress_resolvers: ["198.51.100.53", "10.0.0.2"] });
  const bytes = Buffer.from(JSON.stringify(signed));
  const { policy } = loadPolicy(bytes, {
    file: "appliance.json",
    proof: { signature: signatureOver(canonicalBytes(signed), SIGNER), keys },
    resolvers: () => assert.fail("nobody has to be named"),
  });
  assert.deepEqual(policy.resolvers, [
    { address: "198.51.100.53", port: 53 },
    { address: "10.0.0.2", port: 53 },
  ]);
  for (const wrong of [["198.51.100.053"], ["::1"], ["a", "b"], "198.51.100.53", Array(4).fill(0)])
    assert.throws(() => project(appliance({ egress_resolvers: wrong })), String(wrong));
});

test("a release vouches for a policy by the digest of its bytes, and for nothing else", () => {
  const bytes = Buffer.from(JSON.stringify(appliance({ observation_freshness_seconds: 9 })));
  const released = new Set([digestOf(bytes)]);
  const requireReleased = (digest: Digest): void => {
    if (!released.has(digest)) throw new DrydockError("RELEASE_POLICY_DIFFERENT", "not that one");
  };
  const load = (policy: Uint8Array) =>
    loadPolicy(policy, {
      file: "appliance.json",
      proof: null,
      requireReleased,
      resolvers: () => RESOLVERS,
    });
  const loaded = load(bytes);
  assert.deepEqual(loaded.appliance, { digest: digestOf(bytes), freshnessSeconds: 9 });
  assert.deepEqual([loaded.signature, loaded.admitsSecrets], [null, false]);
  assert.equal(loaded.policy.digest, project(appliance()).policy.digest);
  // The same meaning in other bytes is another file.
  assert.throws(() => load(Buffer.concat([bytes, Buffer.from("\n")])), {
    code: "RELEASE_POLICY_DIFFERENT",
  });
  const ordinary = policyDocument({ ...loaded.policy, resolvers: RESOLVERS });
  assert.throws(() => load(Buffer.from(JSON.stringify(ordinary))), { code: "POLICY_NOT_RELEASED" });
});
