import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalBytes } from "../json/canonical.js";
import { testBoundaryManifest } from "../testing/boundary-fixture.js";
import type { BoundaryManifest } from "./boundary.js";
import { parseManifest } from "./manifest.js";
import { experimentDigest, sealManifest } from "./seal.js";

test("sealing writes canonical bytes that read back as the same manifest", () => {
  const sealed = sealManifest(testBoundaryManifest());
  assert.deepEqual(parseManifest(sealed.bytes), testBoundaryManifest());
  assert.deepEqual(canonicalBytes(sealed.manifest), sealed.bytes);
});

test("run and instant don't make another experiment; rules, engine and phase do", () => {
  const base = testBoundaryManifest();
  const { topology, rulesets } = base;
  const of = (changes: Partial<BoundaryManifest>) => experimentDigest({ ...base, ...changes });
  assert.equal(of({ run: "boundary-2", created: "2027-01-01T00:00:00.000Z" }), of({}));
  const changed: readonly Partial<BoundaryManifest>[] = [
    { phase: "image-qualification" },
    { topology: { ...topology, daemonId: "another" } },
    { rulesets: rulesets.map((one) => ({ ...one, realisation: "native" })) },
    { plan: `sha256:${"0".repeat(64)}` },
  ];
  for (const changes of changed) assert.notEqual(of(changes), of({}), JSON.stringify(changes));
});

const base = testBoundaryManifest();
const [platform, scenario] = base.rulesets;
assert(platform !== undefined && scenario !== undefined);

const cases: Readonly<
  Record<string, readonly [Partial<BoundaryManifest>, Partial<BoundaryManifest>]>
> = {
  "no release without development": [
    { phase: "apply", release: null, development: true },
    { phase: "apply", release: null },
  ],
  "no gate without a release": [{}, { release: null, development: true }],
  "no policy without its ruleset": [
    { phase: "apply", policy: null, rulesets: [scenario] },
    { phase: "apply", rulesets: [scenario] },
  ],
  "no ruleset without its policy": [{ phase: "apply" }, { phase: "apply", policy: null }],
  "no boundary without a scenario": [{}, { rulesets: [platform] }],
  "no gate without a freshness": [
    { phase: "apply", freshnessSeconds: null },
    { freshnessSeconds: null },
  ],
  "one order": [{}, { rulesets: [scenario, platform] }],
};
for (const [what, [control, wrong]] of Object.entries(cases))
  test(what, () => {
    sealManifest(testBoundaryManifest(control));
    assert.throws(() => sealManifest(testBoundaryManifest(wrong)), { code: "SHAPE_RULE" });
  });
