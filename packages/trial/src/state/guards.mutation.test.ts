import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

test("without the halt guard a test fails", () => {
  const tests = new URL("./state.test.js", import.meta.url);
  const module = "packages/trial/dist/state/halt-guard.js";
  const source = "export const refuseUnderHalt = () => {}; export const whyHalted = () => '';";
  const intact = runTestFileWithSwaps(tests, []);
  assert.equal(intact.failed, false, intact.output);
  assertNoticed(tests, [{ module, source }]);
});
