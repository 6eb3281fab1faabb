import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalBytes } from "../json/canonical.js";
import { testLabManifest } from "../testing/lab-fixture.js";
import type { LabManifest } from "./lab.js";
import { parseManifest } from "./manifest.js";
import { experimentDigest, sealManifest } from "./seal.js";

test("sealing writes canonical bytes that read back as the same manifest", () => {
  const sealed = sealManifest(testLabManifest());
  assert.deepEqual(parseManifest(sealed.bytes), testLabManifest());
  assert.deepEqual(canonicalBytes(sealed.manifest), sealed.bytes);
});

test("run and instant don't make another experiment; seed, repetition and an oracle do", () => {
  const base = testLabManifest();
  const of = (changes: Partial<LabManifest>) => experimentDigest({ ...base, ...changes });
  assert.equal(of({ run: "acceptance-2", created: "2027-01-01T00:00:00.000Z" }), of({}));
  const [first, ...rest] = base.scenarios;
  assert(first !== undefined);
  const other = { ...first, oracle: `sha256:${"0".repeat(64)}` as const };
  for (const changes of [{ seed: 2 }, { repeat: 2 }, { scenarios: [other, ...rest] }])
    assert.notEqual(of(changes), of({}), JSON.stringify(changes));
});

test("bounds, each from both sides", () => {
  const { scenarios } = testLabManifest();
  const [first] = scenarios;
  assert(first !== undefined);
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...first, name: `s${index}` }));
  const cases: readonly (readonly [Partial<LabManifest>, Partial<LabManifest>])[] = [
    [{ repeat: 1 }, { repeat: 0 }],
    [{ repeat: 1000 }, { repeat: 1001 }],
    [{ seed: 0 }, { seed: -1 }],
    [{ deadlineMs: 1 }, { deadlineMs: 0 }],
    [{ scenarios: named(1) }, { scenarios: [] }],
    [{ scenarios: named(128) }, { scenarios: named(129) }],
    [{ scenarios: [first] }, { scenarios: [first, first] }],
  ];
  for (const [control, wrong] of cases) {
    sealManifest(testLabManifest(control));
    const { gates } = testLabManifest();
    assert.throws(() => sealManifest(testLabManifest({ gates, ...wrong })), JSON.stringify(wrong));
  }
});

test("there is no evidence of a real appliance in this version", () => {
  const target = "appliance" as unknown as "stand-in";
  assert.throws(() => sealManifest(testLabManifest({ target })), { code: "SHAPE_ENUM" });
});
