import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const HERE = "packages/boundary/dist/gate";

const GUARDS = [
  ["holders.js", "export const holderFindings = () => [];"],
  ["probes.js", "export const probeFindings = () => [];"],
  ["guest.js", "export const guestFindings = () => [];"],
  [
    "host.js",
    "export const hostFindings = () => []; export const trustedHostObservation = () => null;",
  ],
] as const;

for (const [module, source] of GUARDS) {
  it(`without ${module} a test of the gate fails`, () => {
    const file = new URL("./qualify.test.js", import.meta.url);
    const swapped = runTestFileWithSwaps(file, [{ module: `${HERE}/${module}`, source }]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*ok /m);
  });
}
