import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const GUARDS = [
  ["judge.js", "export const judgeReadbackReceipt = () => null;"],
  ["fresh.js", "export const isFresh = () => true;"],
] as const;

for (const [module, source] of GUARDS) {
  it(`without ${module} a receipt's test fails`, () => {
    const swapped = runTestFileWithSwaps(new URL("./receipt.test.js", import.meta.url), [
      { module: `packages/boundary/dist/receipt/${module}`, source },
    ]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*ok /m);
  });
}
