import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { digestOfValue } from "../digest/digest.js";
import { canonicalBytes } from "../json/canonical.js";
import { testManifest } from "../testing/manifest.js";
import { parseManifest } from "./manifest.js";
import type { RunManifest } from "./run.js";
import { experimentDigest, sealManifest } from "./seal.js";

test("sealing writes canonical bytes that read back as the same manifest", () => {
  const sealed = sealManifest(testManifest());
  assert.deepEqual(parseManifest(sealed.bytes), testManifest());
  assert.deepEqual(canonicalBytes(sealed.manifest), sealed.bytes);
});

test("run and instant don't make another experiment; everything else does", () => {
  const base = experimentDigest(testManifest());
  assert.equal(
    experimentDigest(testManifest({ run: "run-2", created: "2027-01-01T00:00:00.000Z" })),
    base,
  );
  for (const changes of [
    { tier: "T1" },
    { snapshot: null },
    { artifacts: [] },
    { source: { kind: "none" } },
    { limits: { ...testManifest().limits, cpus: 2 } },
    { gates: testManifest().gates.slice(1) },
  ] as const) {
    assert.notEqual(experimentDigest(testManifest(changes)), base, JSON.stringify(changes));
  }
});

test("a working tree can't claim a tier, and a commit can", () => {
  const source = {
    kind: "working-tree",
    head: null,
    archive: `sha256:${"1".repeat(64)}`,
    files: 1,
    bytes: 1,
  } as const;
  sealManifest(testManifest({ source }));
  sealManifest(testManifest({ tier: "T1" }));
  assert.throws(() => sealManifest(testManifest({ source, tier: "T1" })), { code: "SHAPE_RULE" });
});

describe("a way out", () => {
  const policy = { schema: "drydock.egress/v1" };
  const base = testManifest();
  const [control] = base.topology.channels;
  assert.ok(control !== undefined);
  const channel = { ...control, name: "drydock.egress.0", kind: "egress" };
  const withChannel = { ...base.topology, channels: [control, channel] };
  const limits = { ...base.limits, networkChannels: 1 };
  const sealedWith = (changes: Partial<RunManifest>) =>
    sealManifest(
      testManifest({
        egress: { policy, signature: null, secrets: [], upstreamRoots: null },
        policy: digestOfValue(policy),
        topology: withChannel,
        limits,
        ...changes,
      }),
    );

  test("is sealed with its policy, its channel and its limit", () => {
    assert.equal(sealedWith({}).manifest.policy, digestOfValue(policy));
  });

  for (const [what, changes] of Object.entries({
    "a policy whose digest is another": { policy: digestOfValue({}) },
    "a policy without its digest": { policy: null },
    "a policy without a channel": { topology: base.topology, limits: base.limits },
    "a channel without a policy": { egress: null, policy: null },
    "a channel beyond the limit": { limits: base.limits },
    "a tier": { tier: "T1" },
  } satisfies Record<string, Partial<RunManifest>>))
    test(`${what} is refused`, () => {
      assert.throws(() => sealedWith(changes), { code: "SHAPE_RULE" });
    });
});

test("lists whose order carries no meaning have one order", () => {
  const { topology } = testManifest();
  const devices = topology.devices.toReversed();
  assert.throws(() => sealManifest(testManifest({ topology: { ...topology, devices } })), {
    code: "SHAPE_RULE",
    path: "manifest.topology.devices",
  });
});
