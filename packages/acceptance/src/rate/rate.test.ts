import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, step } from "../contract/index.js";
import { START, termsFor } from "../testing/contracts.js";
import { ALONE, contractAt, eventFor, type Place } from "../testing/walks.js";
import type { RateStanding } from "./standing.js";

const prepare = (standing: Partial<RateStanding>, at = START): string =>
  begin(termsFor("c1"), { standing: { ...ALONE, ...standing }, at }).refusal?.code ?? "accepted";

const start = (standing: Partial<RateStanding>, place: Place = "CONFIRMED"): string => {
  const contract = contractAt(place);
  const type = place === "VERIFIED" ? "begin-rollback" : "acquire";
  const event = eventFor(contract, type, { standing: { ...ALONE, ...standing } });
  return step(contract, event).refusal?.code ?? "accepted";
};

test("one contract at most waits for a target", () => {
  assert.equal(prepare({ outstanding: 0 }), "accepted");
  assert.equal(prepare({ outstanding: 1 }), "RATE_OUTSTANDING");
});

test("a target is left alone until its time has come, to the millisecond", () => {
  assert.equal(prepare({ cooledAt: START + 1 }), "RATE_COOLDOWN");
  assert.equal(prepare({ cooledAt: START }), "accepted");
});

test("two unresolved contracts are bad luck, three stop every preparation", () => {
  assert.equal(prepare({ unresolved: 2 }), "accepted");
  assert.equal(prepare({ unresolved: 3 }), "RATE_LOCKOUT");
});

test("one change at most is under way, whatever its target, forward or back", () => {
  for (const place of ["CONFIRMED", "VERIFIED"] as const) {
    assert.equal(start({ inFlight: 0 }, place), "accepted");
    assert.equal(start({ inFlight: 1 }, place), "RATE_IN_FLIGHT");
  }
});

test("what another contract holds isn't touched, forward or back", () => {
  for (const place of ["CONFIRMED", "VERIFIED"] as const) {
    assert.equal(start({ holder: null }, place), "accepted");
    assert.equal(start({ holder: "other" }, place), "TARGET_RESERVED");
  }
});

test("preparing isn't stopped by what is under way, nor starting by a cooldown or a lockout", () => {
  assert.equal(prepare({ inFlight: 1 }), "accepted");
  assert.equal(start({ cooledAt: START + 100_000, unresolved: 3 }), "accepted");
});

test("a minute begins with VERIFIED, FAILED, ROLLED_BACK and ROLLBACK_FAILED, and with nothing else", () => {
  for (const [place, type, cools] of [
    ["PREPARING", "prepared", false],
    ["PREPARED", "confirm", false],
    ["CONFIRMED", "acquire", false],
    ["CONFIRMED", "fail", true],
    ["EXECUTING", "seal-verified", true],
    ["EXECUTING", "fail", true],
    ["EXECUTING", "lose-track", false],
    ["VERIFIED", "begin-rollback", false],
    ["ROLLING_BACK", "seal-rolled-back", true],
    ["ROLLING_BACK", "fail-rollback", true],
    ["ROLLING_BACK", "interrupted", false],
    ["LOST", "resolve", true],
  ] as const) {
    const contract = contractAt(place);
    const { effects } = step(contract, eventFor(contract, type));
    const cooldown = effects.find((effect) => effect.type === "cool-down");
    assert.deepEqual(
      cooldown,
      cools
        ? { type: "cool-down", target: contract.targetIdentityDigest, until: START + 61_000 }
        : undefined,
      `${place} ${type}`,
    );
  }
});
