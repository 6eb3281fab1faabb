import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const GUARDS = [
  ["withheld", "export const withheld = (ruleset) => ruleset;", "apply"],
  ["claim", "export const claimNamespace = async () => undefined;", "claim"],
] as const;

for (const [module, source, tested] of GUARDS) {
  it(`without nft/${module}.js a test of ${tested} fails`, () => {
    const file = new URL(`./${tested}.test.js`, import.meta.url);
    const swap = { module: `packages/boundary/dist/nft/${module}.js`, source };
    const swapped = runTestFileWithSwaps(file, [swap]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*(not )?ok /m);
  });
}
