import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "./catalogue/index.js";
import { departures } from "./departures.js";

test("an oracle holds for all of its parts, and for none less", () => {
  for (const { oracle } of SCENARIOS) {
    assert.deepEqual(departures(oracle, oracle), []);
    for (const change of [
      { state: "EXPIRED" },
      { forwardSends: 1 - oracle.forwardSends },
      { rollbackSends: 1 - oracle.rollbackSends },
      { reservation: oracle.reservation === "held" ? "free" : "held" },
      { appliance: "other" },
    ])
      assert.equal(departures({ ...oracle, ...change } as never, oracle).length, 1);
  }
});

test("what departs is named with both", () => {
  const [first] = SCENARIOS;
  assert.ok(first);
  const observed = { ...first.oracle, forwardSends: 2, state: "RECONCILIATION" } as const;
  assert.deepEqual(departures(observed, first.oracle), [
    "state: RECONCILIATION, not VERIFIED",
    "forwardSends: 2, not 1",
  ]);
});
