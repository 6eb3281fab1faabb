import assert from "node:assert/strict";
import { test } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

interface Guard {
  readonly module: string;
  /** The guard without its guarding. */
  readonly source: string;
  /** Test file that has to notice, relative to this folder. */
  readonly noticedBy: string;
  /** The test in it that does. */
  readonly test: string;
}

const GUARDS: readonly Guard[] = [
  {
    module: "request/privilege.js",
    source: `
      export const ALL_PRIVILEGES = "page-all";
      export const privilegeOf = (path, method) => path.slice(1).replace(/[/_]/g, "-") + "-" + method.toLowerCase();
      export const authorise = () => {};`,
    noticedBy: "request/admit.test.js",
    test: "not against: privilege",
  },
  {
    module: "request/read-only.js",
    source: "export const refuseWriteWhenReadOnly = () => {};",
    noticedBy: "request/admit.test.js",
    test: "is turned on by a client and off by none",
  },
  {
    module: "server/place.js",
    source: "export const requirePlace = () => {};",
    noticedBy: "server/place.test.js",
    test: "not at address",
  },
  {
    module: "server/namespace.js",
    source: "export const requireIsolation = () => {};",
    noticedBy: "server/place.test.js",
    test: "not where there is",
  },
];

for (const guard of GUARDS) {
  test(`without ${guard.module} something is noticed`, () => {
    const file = new URL(guard.noticedBy, import.meta.url);
    const module = `packages/lab/dist/appliance/${guard.module}`;
    const swapped = runTestFileWithSwaps(file, [{ module, source: guard.source }], guard.test);
    // That it passes with the guard is what the file's own run shows.
    assert.equal(swapped.failed, true, `nothing noticed:\n${swapped.output}`);
  });
}
