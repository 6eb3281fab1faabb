import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ScenarioReport } from "../scenario/index.js";
import { acceptanceReport, type Played } from "./report.js";

const scenario = (passed: boolean): ScenarioReport => ({
  ...{ name: "clean_passthrough", variant: null, passed, failures: [], faultTook: null },
  ...{ observed: null, unexpected: null, records: [], durationMs: 1 },
  expected: {
    ...{ state: "VERIFIED", forwardSends: 1, rollbackSends: 0 },
    ...{ reservation: "free", appliance: "after" },
  },
});

const CONFIRMED = { permissionRevoked: true, readOnlyConfirmed: true };
const report = (change: Partial<Played> = {}, exit: Partial<typeof CONFIRMED> = {}) => {
  const scenarios = [scenario(true), scenario(true), scenario(true)];
  const played = { planned: 3, digest: "sha256:0", scenarios, unexpected: null, ...change };
  return acceptanceReport(played, { ...CONFIRMED, ...exit });
};

describe("an acceptance", () => {
  test("is all that was planned, passed, with a confirmed exit", () => {
    const { passed, counts, authorises } = report();
    assert.equal(passed, true);
    assert.deepEqual(counts, { passed: 3, failed: 0, notPlayed: 0 });
    assert.equal(authorises, "nothing");
  });

  test("isn't anything less", () => {
    const some = [scenario(true), scenario(true)];
    for (const [change, exit] of [
      [{ scenarios: some }, {}],
      [{ scenarios: [...some, scenario(false)] }, {}],
      [{ scenarios: [...some, ...some] }, {}],
      [{ planned: 0, scenarios: [] }, {}],
      [{ unexpected: { code: "UNEXPECTED", at: null } }, {}],
      [{}, { permissionRevoked: false }],
      [{}, { readOnlyConfirmed: false }],
    ] as const)
      assert.equal(report(change, exit).passed, false, JSON.stringify([change, exit]));
  });

  test("of some that passed and some that didn't counts each, in whatever order", () => {
    const mixed = [false, true, false, true].map(scenario);
    for (const scenarios of [mixed, mixed.toReversed()]) {
      const { passed, counts } = report({ planned: 6, scenarios });
      assert.equal(passed, false);
      assert.deepEqual(counts, { passed: 2, failed: 2, notPlayed: 2 });
    }
    const { passed, counts } = report({ planned: 4, scenarios: mixed.map(() => scenario(true)) });
    assert.deepEqual([passed, counts.passed], [true, 4]);
  });
});
