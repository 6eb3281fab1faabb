import assert from "node:assert/strict";
import { it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

const GUARDS = [
  [
    "is-engines-containerd.js",
    "export const isEnginesContainerd = () => true;",
    "unix-connections",
  ],
  [
    "powers.js",
    "export const powersOf = () => ({ access: null, overprivileged: [] }); export const reachesEngine = () => false;",
    "inventory",
  ],
  ["mounts-lead-to.js", "export const mountsLeadTo = () => false;", "mounts"],
] as const;

for (const [module, source, tested] of GUARDS) {
  it(`without ${module} a test of ${tested} fails`, () => {
    const file = new URL(`./${tested}.test.js`, import.meta.url);
    const swap = { module: `packages/boundary/dist/holders/${module}`, source };
    const swapped = runTestFileWithSwaps(file, [swap]);
    assert.equal(swapped.failed, true);
    // The replacement has to load: a test that can't run notices nothing.
    assert.doesNotMatch(swapped.output, /SyntaxError|ERR_MODULE_NOT_FOUND/);
    assert.match(swapped.output, /^\s*ok /m);
  });
}
