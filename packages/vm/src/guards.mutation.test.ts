import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard of the walls, taken away: some test has to notice. */
const MUTATIONS: readonly (readonly [
  what: string,
  module: string,
  testFile: string,
  source: string,
])[] = [
  [
    "a limit that the kernel doesn't hold is accepted",
    "packages/vm/dist/cgroup/limits.js",
    "./cgroup/parse.test.js",
    "export const limitDifferences = () => [];",
  ],
  [
    "a process that isn't as sealed matches",
    "packages/vm/dist/observe/topology.js",
    "./observe/topology.test.js",
    `export const compareKernel = () => ({ kind: "match" });
     export const compareVmm = () => ({ kind: "match" });
     export const fixedDevices = (sealed, observed) => observed.devices;`,
  ],
  [
    "a live slot counts as stale",
    "packages/vm/dist/jail/stale.js",
    "./jail/slot.test.js",
    "export const isStale = () => true;",
  ],
  [
    "a dead slot counts as live",
    "packages/vm/dist/jail/stale.js",
    "./jail/slot.test.js",
    "export const isStale = () => false;",
  ],
];

for (const [what, module, testFile, source] of MUTATIONS) {
  test(`a test notices when ${what}`, () => {
    const file = new URL(testFile, import.meta.url);
    assert.equal(runTestFileWithSwaps(file, []).failed, false, "passes with the guard in place");
    assertNoticed(file, [{ module, source }]);
  });
}
