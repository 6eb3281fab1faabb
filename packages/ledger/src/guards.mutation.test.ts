import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard, replaced by a version that lets everything pass, must turn its tests red. */
const GUARDS = [
  {
    module: "packages/ledger/dist/rules/fence.js",
    source: "export const isFenced = () => false;",
    tests: "./rules/step.test.js",
  },
  {
    module: "packages/ledger/dist/rules/admission.js",
    source: "export const overCeiling = () => null;",
    tests: "./rules/step.test.js",
  },
  {
    module: "packages/ledger/dist/rules/halt-gate.js",
    source: 'export const haltGate = () => "open";',
    tests: "./rules/step.test.js",
  },
  {
    module: "packages/ledger/dist/rules/halt-memory.js",
    source: "export const againstMemory = (reading) => reading;",
    tests: "./sqlite/store.test.js",
    pattern: "halt that was seen",
  },
  {
    module: "packages/ledger/dist/halt/judge.js",
    source: `export const judgeHalt = () => ({ kind: "clear", generation: 0, record: null });
      export const recordName = (n) => String(n).padStart(8, "0") + ".json";`,
    tests: "./halt/halt.test.js",
  },
  {
    module: "packages/ledger/dist/sqlite/probe.js",
    source: "export const probeSchema = () => {};",
    tests: "./sqlite/store.test.js",
    pattern: "shuts admission, and no second",
  },
] as const;

for (const guard of GUARDS) {
  test(`without ${guard.module} a test fails`, () => {
    const pattern = "pattern" in guard ? guard.pattern : undefined;
    const file = new URL(guard.tests, import.meta.url);
    const intact = runTestFileWithSwaps(file, [], pattern);
    assert.equal(intact.failed, false, intact.output);
    assertNoticed(file, [guard], pattern);
  });
}
