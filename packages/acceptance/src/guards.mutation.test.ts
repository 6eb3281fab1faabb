import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoticed, runTestFileWithSwaps } from "@drydock/testkit";

/** Each guard, replaced by a version that lets everything pass, must turn its tests red. */
const GUARDS = [
  {
    module: "canonical/frame.js",
    source: `export const framed = (parts) =>
      Buffer.concat(parts.map((part) => Buffer.from(part)));`,
    tests: "canonical/digests.test.js",
    pattern: "what ends one part",
  },
  {
    module: "artifact/contract-key.js",
    source: `export const SALT_BYTES = 32;
      export const contractKey = (master) => new Uint8Array(master).subarray(0, 32);`,
    tests: "artifact/artifact.test.js",
    pattern: "the trap of the shared key",
  },
  {
    module: "artifact/nonce.js",
    source: "export const NONCE_BYTES = 12; export const nonceOf = () => Buffer.alloc(12);",
    tests: "artifact/artifact.test.js",
    pattern: "the trap of the shared key",
  },
  {
    module: "contract/transitions.js",
    source: "export const mayTransition = () => true;",
    tests: "contract/transitions.test.js",
    pattern: "left by nobody",
  },
  {
    module: "contract/freshness.js",
    source: "export const isStale = () => false;",
    tests: "contract/step.test.js",
    pattern: "saw another version",
  },
  {
    module: "contract/expiry.js",
    source: "export const isOverdue = () => false;",
    tests: "contract/step.test.js",
    pattern: "a millisecond before its time",
  },
  {
    module: "contract/continuity.js",
    source: "export const isSameTarget = () => true; export const looksChanged = () => true;",
    tests: "contract/step.test.js",
    pattern: "wants the contract's own locator",
  },
  {
    module: "contract/reservation.js",
    source: "export const holdsTarget = () => false;",
    tests: "store/store.test.js",
    pattern: "nobody else's",
  },
  {
    module: "contract/invariants.js",
    source: "export const inconsistency = () => null;",
    tests: "contract/parse.test.js",
    pattern: "a key that isn't of this change",
  },
  {
    module: "confirmation/binding.js",
    source: "export const confirmsThis = () => true;",
    tests: "confirmation/confirmation.test.js",
    pattern: "contractId",
  },
  {
    module: "confirmation/timeliness.js",
    source: "export const isTimely = () => true;",
    tests: "confirmation/confirmation.test.js",
    pattern: "half a minute",
  },
  {
    module: "confirmation/proof.js",
    source: "export const isProven = () => true;",
    tests: "confirmation/confirmation.test.js",
    pattern: "accept nothing",
  },
  {
    module: "reconciliation/binding.js",
    source: "export const resolvesThis = () => true;",
    tests: "reconciliation/reconciliation.test.js",
    pattern: "the version before",
  },
  {
    module: "history/are-in-order.js",
    source: "export const areInOrder = () => true;",
    tests: "history/pfsense-revisions.test.js",
    pattern: "two of one second",
  },
  {
    module: "history/pfsense-revisions.js",
    source: `export const pfsenseRevisions = {
        path: "/api/v2/diagnostics/config_history/revisions",
        query: { limit: 30 },
        headOf: ({ body }) => body.data[0] ?? {},
      };`,
    tests: "history/pfsense-revisions.test.js",
    pattern: "isn't one of success|anything but a 200|without bytes",
  },
  {
    module: "rate/may-prepare.js",
    source: "export const refusePreparation = () => null;",
    tests: "rate/rate.test.js",
  },
  {
    module: "rate/may-start.js",
    source: "export const refuseStart = () => null;",
    tests: "rate/rate.test.js",
  },
  {
    module: "rate/cooldown.js",
    source: "export const coolsDown = () => false;",
    tests: "rate/rate.test.js",
  },
  {
    module: "store/file/own-directory.js",
    source: "export const requireOwnDirectory = (directory) => directory;",
    tests: "store/file/place.test.js",
    pattern: "mode 750",
  },
  {
    module: "store/file/own-file.js",
    source: `export const requireOwnFile = () => ({ device: 0n, inode: 0n });
      export const requireStillThere = () => {};`,
    tests: "store/file/place.test.js",
    pattern: "mode 640|exchanged",
  },
  {
    module: "store/file/schema.js",
    source: `export const writeShape = (database, shape) => {
        for (const statement of shape.statements) database.exec(statement);
      };
      export const requireShape = () => {};`,
    tests: "store/tamper.test.js",
    pattern: "is another schema",
  },
  {
    module: "store/authentic.js",
    source: "export const requireAuthentic = () => {};",
    tests: "store/tamper.test.js",
    pattern: "any column",
  },
  {
    module: "store/verify-store.js",
    source: "export const verifyStore = () => {};",
    tests: "store/tamper.test.js",
    pattern: "any column",
  },
  {
    module: "store/matching-counts.js",
    source: "export const requireMatchingCounts = () => {};",
    tests: "store/replay.test.js",
    pattern: "a nonce is removed",
  },
  {
    module: "store/matching-locks.js",
    source: "export const requireMatchingLocks = () => {};",
    tests: "store/replay.test.js",
    pattern: "one that was given back",
  },
  {
    module: "store/is-latest.js",
    source: "export const isLatest = () => true;",
    tests: "store/replay.test.js",
    pattern: "nobody had confirmed it",
  },
  {
    module: "store/is-spent.js",
    source: "export const isSpent = () => false;",
    tests: "store/store.test.js",
    pattern: "a nonce that was used",
  },
  {
    module: "store/judge-anchor.js",
    source: 'export const judgeAnchor = () => "same";',
    tests: "store/anchor.test.js",
    pattern: "put back to an earlier time",
  },
  {
    module: "store/workplace.js",
    source: "export const takeWorkplace = () => () => {};",
    tests: "store/workplace.test.js",
    pattern: "living process",
  },
] as const;

for (const guard of GUARDS) {
  test(`without ${guard.module} a test fails`, () => {
    const pattern = "pattern" in guard ? guard.pattern : undefined;
    const file = new URL(`./${guard.tests}`, import.meta.url);
    const swap = { module: `packages/acceptance/dist/${guard.module}`, source: guard.source };
    const intact = runTestFileWithSwaps(file, [], pattern);
    assert.equal(intact.failed, false, intact.output);
    assert.doesNotMatch(intact.output, /# pass 0/);
    assertNoticed(file, [swap], pattern);
  });
}

/** What the simulation has to notice by itself, whatever the tests of single rules say. */
const RULES = [
  { module: "contract/transitions.js", source: "export const mayTransition = () => true;" },
  { module: "contract/reservation.js", source: "export const holdsTarget = () => false;" },
  { module: "rate/may-start.js", source: "export const refuseStart = () => null;" },
  { module: "confirmation/proof.js", source: "export const isProven = () => true;" },
] as const;

for (const { module, source } of RULES) {
  test(`the simulation notices that ${module} lets everything pass`, () => {
    const file = new URL("./simulation/simulation.test.js", import.meta.url);
    const swap = { module: `packages/acceptance/dist/${module}`, source };
    assertNoticed(file, [swap], "whatever the order");
  });
}
