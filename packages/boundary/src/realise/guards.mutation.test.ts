import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const GUARDS = [
  [
    "realise/mount-sources.js",
    "./mount-sources.test.js",
    "export const requireMountSources = (mounts, { directory }) => directory;",
  ],
  ["platform/mount.js", "../platform/mount.test.js", "export const mountFaults = () => [];"],
  [
    "ruleset/inner-protocol.js",
    "./hand-changed.test.js",
    "export const isOurs = () => false; export const withInnerProtocols = (listing) => listing;",
  ],
] as const;

for (const [module, test, source] of GUARDS) {
  it(`without ${module} a test of it fails`, () => {
    const swapped = runTestFileWithSwaps(new URL(test, import.meta.url), [
      { module: `packages/boundary/dist/${module}`, source },
    ]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*ok /m);
  });
}
