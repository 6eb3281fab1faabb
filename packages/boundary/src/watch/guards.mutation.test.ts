import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const GUARDS = [
  ["watch/same-boundary.js", "export const isSameBoundary = () => true;"],
  [
    "observe/containers.js",
    "export const differentContainers = () => ({ differentImages: [], strangers: [] });",
  ],
] as const;

for (const [module, source] of GUARDS) {
  it(`without ${module} a test of the look fails`, () => {
    const file = new URL("./look.test.js", import.meta.url);
    const swap = { module: `packages/boundary/dist/${module}`, source };
    const swapped = runTestFileWithSwaps(file, [swap]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*ok /m);
  });
}
