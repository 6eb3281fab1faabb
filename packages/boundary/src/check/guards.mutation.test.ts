import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard, replaced by a version that lets everything pass, must turn its tests red. */
const GUARDS = [
  {
    module: "packages/boundary/dist/meaning/binding.js",
    source: "export const departsFromBinding = () => null;",
    tests: "../meaning/packet.test.js",
  },
  {
    module: "packages/boundary/dist/meaning/delivery.js",
    source: "export const isDelivered = () => true;",
    tests: "../meaning/packet.test.js",
  },
  {
    module: "packages/boundary/dist/meaning/state.js",
    source: `export const belongsToFlow = () => true;
      export const byState = (action, { state }) => ({ action, grounds: [{ kind: "state", state }] });`,
    tests: "../meaning/packet.test.js",
  },
  {
    module: "packages/boundary/dist/check/agreement.js",
    source: `export const agrees = () => true;
      export const demanded = () => null;`,
    tests: "./check.test.js",
    pattern: "a difference comes as a packet",
  },
  {
    module: "packages/boundary/dist/check/gaps.js",
    source: "export const observationGaps = () => [];",
    tests: "./check.test.js",
    pattern: "what isn't observed is a gap",
  },
  {
    module: "packages/boundary/dist/check/conflicts.js",
    source: "export const conflictsBetween = () => ({ conflicts: [], cells: 0 });",
    tests: "./check.test.js",
    pattern: "one authority opens and the other closes",
  },
  {
    // The rules' own guards: without one of them the check itself must see it.
    module: "packages/boundary/dist/meaning/binding.js",
    source: "export const departsFromBinding = () => null;",
    tests: "./check.test.js",
    pattern: "the fixture's rules do what is meant, native",
  },
  {
    module: "packages/boundary/dist/meaning/delivery.js",
    source: "export const isDelivered = () => true;",
    tests: "./check.test.js",
    pattern: "the fixture's rules do what is meant, native",
  },
] as const;

for (const guard of GUARDS) {
  const pattern = "pattern" in guard ? guard.pattern : undefined;
  test(`without ${guard.module} a test of ${guard.tests} fails`, () => {
    const file = new URL(guard.tests, import.meta.url);
    const intact = runTestFileWithSwaps(file, [], pattern);
    assert.equal(intact.failed, false, intact.output);
    assertNoticed(file, [guard], pattern);
  });
}
