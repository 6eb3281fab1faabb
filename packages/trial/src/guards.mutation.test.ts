import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** A guard outside the rooms that have a list of their own, taken away: some test has to notice. */
const MUTATIONS: readonly (readonly [
  what: string,
  module: string,
  testFile: string,
  pattern: string,
  source: string,
])[] = [
  [
    "a live owner counts as dead",
    "recovery/owner.js",
    "recovery/recover.test.js",
    "live owner is not touched",
    "export const isOwned = () => false;",
  ],
  [
    "a dead owner counts as live",
    "recovery/owner.js",
    "recovery/recover.test.js",
    "whose number another process has now",
    "export const isOwned = () => true;",
  ],
  [
    "output beyond its bound is kept",
    "port/budget.js",
    "port/session.test.js",
    "output beyond the bound",
    `import { OutputBudget as Bounded } from "./budget.js?original";
     export { Cutter } from "./budget.js?original";
     export class OutputBudget extends Bounded { constructor() { super(2 ** 40); } }`,
  ],
  [
    "a console ring has no bound",
    "port/ring.js",
    "port/session.test.js",
    "console flood is cut",
    `import { Ring as Bounded } from "./ring.js?original";
     export class Ring extends Bounded { constructor() { super(2 ** 26); } }`,
  ],
  [
    "somebody's directory is taken over",
    "launcher/refuse-foreign.js",
    "launcher/refuse-foreign.test.js",
    "not taken over",
    "export const refuseForeign = () => undefined;",
  ],
  [
    "a home may be anywhere",
    "state/check-home.js",
    "state/check-home.test.js",
    "no home in or below",
    "export const requireHome = () => undefined;",
  ],
  [
    "a run begins on a full disk",
    "state/check-space.js",
    "state/check-space.test.js",
    "nothing is begun",
    "export const requireSpace = () => undefined;",
  ],
  [
    "an environment is committed to with no key",
    "launcher/commit-environment.js",
    "launcher/commit-environment.test.js",
    "tries all values",
    `import { commitEnvironment as keyed } from "./commit-environment.js?original";
     export * from "./commit-environment.js?original";
     export const commitEnvironment = (_key, environment) => keyed(Buffer.alloc(32), environment);`,
  ],
];

for (const [what, guard, testFile, pattern, source] of MUTATIONS)
  test(`a test notices when ${what}`, () => {
    const file = new URL(testFile, import.meta.url);
    const module = `packages/trial/dist/${guard}`;
    const intact = runTestFileWithSwaps(file, [], pattern);
    assert.equal(intact.failed, false, intact.output);
    assert.match(intact.output, /^# pass [1-9]/m, "the pattern names a test");
    assertNoticed(file, [{ module, source }], pattern);
  });
