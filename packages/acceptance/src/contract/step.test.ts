import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AFTER, digestFor, START, termsFor } from "../testing/contracts.js";
import { ALONE, contractAt, EVENT_TYPES, eventFor, PLACES, type Place } from "../testing/walks.js";
import type { ContractEffect, ContractEvent, ContractEventType } from "./event.js";
import type { ContractState, RecoveryContract } from "./model.js";
import { parseContract } from "./parse.js";
import { begin, step } from "./step.js";

const places = Object.keys(PLACES) as readonly Place[];

/** What each event does where; everywhere else it is refused. */
const DOES: Readonly<Record<ContractEventType, Partial<Record<Place, ContractState>>>> = {
  prepared: { PREPARING: "PREPARED" },
  confirm: { PREPARED: "PREPARED" },
  acquire: { CONFIRMED: "EXECUTING" },
  expire: {},
  fail: {
    PREPARING: "FAILED",
    PREPARED: "FAILED",
    CONFIRMED: "FAILED",
    EXECUTING: "FAILED",
  },
  "seal-verified": { EXECUTING: "VERIFIED" },
  "lose-track": { EXECUTING: "RECONCILIATION", ROLLING_BACK: "RECONCILIATION" },
  "begin-rollback": { VERIFIED: "ROLLING_BACK" },
  "seal-rolled-back": { ROLLING_BACK: "ROLLED_BACK" },
  "fail-rollback": { ROLLING_BACK: "ROLLBACK_FAILED" },
  interrupted: { EXECUTING: "RECONCILIATION", ROLLING_BACK: "RECONCILIATION" },
  resolve: { LOST: "VERIFIED" },
};

const run = (contract: RecoveryContract, event: ContractEvent) => {
  const { contract: after, effects, refusal } = step(contract, event);
  return { after, effects, code: refusal?.code ?? "accepted" };
};

const named = (effects: readonly ContractEffect[]): readonly string[] =>
  effects.map(({ type }) => type);

for (const type of EVENT_TYPES) {
  test(`${type} leads where it leads, and is refused everywhere else without a trace`, () => {
    for (const place of places) {
      const contract = contractAt(place);
      const { after, effects, code } = run(contract, eventFor(contract, type));
      const wanted = DOES[type][place];
      assert.equal(code === "accepted", wanted !== undefined, `${type} at ${place}: ${code}`);
      if (wanted === undefined) {
        assert.deepEqual({ after, effects }, { after: contract, effects: [] });
      } else {
        assert.equal(after.state, wanted);
        assert.equal(after.stateVersion, contract.stateVersion + 1);
        assert.deepEqual(parseContract(after), after);
      }
    }
  });
}

test("a caller who saw another version is refused, whatever it wants", () => {
  for (const place of places) {
    const contract = contractAt(place);
    for (const type of EVENT_TYPES) {
      for (const seen of [contract.stateVersion - 1, contract.stateVersion + 1]) {
        assert.equal(run(contract, eventFor(contract, type, { seen })).code, "CONTRACT_STALE");
      }
    }
  }
});

describe("expiry", () => {
  const edge = (contract: RecoveryContract, type: ContractEventType, offset: number) =>
    run(contract, eventFor(contract, type, { at: contract.expiresAt + offset })).code;

  for (const [place, type] of [
    ["PREPARING", "prepared"],
    ["PREPARING", "fail"],
    ["PREPARED", "confirm"],
    ["CONFIRMED", "acquire"],
    ["CONFIRMED", "fail"],
  ] as const) {
    test(`a millisecond before its time ${place} takes ${type}, and at it only expires`, () => {
      const contract = contractAt(place);
      assert.equal(edge(contract, type, -1), "accepted");
      assert.equal(edge(contract, type, 0), "CONTRACT_EXPIRED");
      assert.equal(edge(contract, "expire", -1), "CONTRACT_UNEXPIRED");
      assert.equal(edge(contract, "expire", 0), "accepted");
    });
  }

  for (const [place, type] of [
    ["EXECUTING", "seal-verified"],
    ["EXECUTING", "lose-track"],
    ["EXECUTING", "fail"],
    ["VERIFIED", "begin-rollback"],
    ["ROLLING_BACK", "seal-rolled-back"],
    ["LOST", "resolve"],
  ] as const) {
    test(`after EXECUTING time has no say: ${place} takes ${type} a year later`, () => {
      assert.equal(edge(contractAt(place), type, 31_536_000_000), "accepted");
      assert.equal(edge(contractAt(place), "expire", 0), "CONTRACT_TRANSITION");
    });
  }

  test("what is over when it is created isn't created", () => {
    const terms = termsFor("c1");
    const at = (time: number) => begin(terms, { standing: ALONE, at: time }).refusal?.code;
    assert.equal(at(terms.expiresAt - 1), undefined);
    assert.equal(at(terms.expiresAt), "CONTRACT_EXPIRED");
  });
});

describe("confirmation", () => {
  test("nothing is acquired that nobody confirmed, and confirming is done once", () => {
    const prepared = contractAt("PREPARED");
    assert.equal(run(prepared, eventFor(prepared, "acquire")).code, "CONTRACT_UNCONFIRMED");
    const confirmed = contractAt("CONFIRMED");
    assert.equal(run(confirmed, eventFor(confirmed, "acquire")).code, "accepted");
    assert.equal(run(confirmed, eventFor(confirmed, "confirm")).code, "CONTRACT_CONFIRMED");
  });

  test("it keeps the digest and the time, and spends the nonce with it", () => {
    const { after, effects } = run(
      contractAt("PREPARED"),
      eventFor(contractAt("PREPARED"), "confirm"),
    );
    assert.deepEqual(after.confirmation, { digest: digestFor("evidence"), at: START + 1_000 });
    assert.deepEqual(named(effects), ["write", "spend-nonce", "audit"]);
  });
});

describe("what was observed", () => {
  for (const [place, type] of [
    ["EXECUTING", "seal-verified"],
    ["ROLLING_BACK", "seal-rolled-back"],
    ["LOST", "resolve"],
  ] as const) {
    test(`${type} wants the contract's own locator, also if another may be harmless`, () => {
      const contract = contractAt(place);
      assert.equal(run(contract, eventFor(contract, type, { locator: 7 })).code, "accepted");
      assert.equal(
        run(contract, eventFor(contract, type, { locator: 8 })).code,
        "CONTRACT_LOCATOR",
      );
    });
  }

  for (const [place, type] of [
    ["EXECUTING", "seal-verified"],
    ["LOST", "resolve"],
  ] as const) {
    test(`${type} seals what the target is now, and not what it was before`, () => {
      const contract = contractAt(place);
      assert.equal(run(contract, eventFor(contract, type)).after.verifiedTargetFingerprint, AFTER);
      const same = eventFor(contract, type, { fingerprint: contract.targetFingerprint });
      assert.equal(run(contract, same).code, "CONTRACT_UNCHANGED");
    });
  }

  test("the fingerprint from before stays, through the change and back", () => {
    const before = contractAt("PREPARING").targetFingerprint;
    for (const place of places) assert.equal(contractAt(place).targetFingerprint, before);
    assert.equal(contractAt("ROLLED_BACK").verifiedTargetFingerprint, AFTER);
  });
});

describe("a signed conclusion", () => {
  const outcomes = [
    ["confirmed_applied", "LOST", "VERIFIED", AFTER, 7],
    ["confirmed_not_applied", "LOST", "FAILED", null, null],
    ["confirmed_rollback_applied", "LOST_ROLLBACK", "ROLLED_BACK", null, 7],
    ["confirmed_rollback_not_applied", "LOST_ROLLBACK", "ROLLBACK_FAILED", null, null],
  ] as const;

  for (const [outcome, place, state, fingerprint, locator] of outcomes) {
    test(`${outcome} leads from ${place} to ${state}, and from the other to nowhere`, () => {
      const said = { outcome, fingerprint, locator };
      const contract = contractAt(place);
      const { after, code } = run(contract, eventFor(contract, "resolve", said));
      assert.deepEqual([code, after.state], ["accepted", state]);
      assert.equal(after.enteredReconciliationFrom, null);
      const other = contractAt(place === "LOST" ? "LOST_ROLLBACK" : "LOST");
      assert.equal(run(other, eventFor(other, "resolve", said)).code, "CONTRACT_OUTCOME");
    });

    test(`${outcome} names exactly what it has to`, () => {
      const contract = contractAt(place);
      for (const said of [
        { fingerprint: fingerprint === null ? AFTER : null, locator },
        { fingerprint, locator: locator === null ? 7 : null },
      ]) {
        const event = eventFor(contract, "resolve", { outcome, ...said });
        assert.equal(run(contract, event).code, "CONTRACT_OUTCOME");
      }
    });
  }

  test("RECONCILIATION remembers what was under way", () => {
    assert.equal(contractAt("LOST").enteredReconciliationFrom, "EXECUTING");
    assert.equal(contractAt("LOST_ROLLBACK").enteredReconciliationFrom, "ROLLING_BACK");
  });
});

describe("the target's lock", () => {
  const effectsTo = (place: Place, type: ContractEventType, fields = {}) => {
    const contract = contractAt(place);
    return named(run(contract, eventFor(contract, type, fields)).effects);
  };

  test("is taken with EXECUTING and with ROLLING_BACK", () => {
    assert.ok(effectsTo("CONFIRMED", "acquire").includes("reserve"));
    assert.ok(effectsTo("VERIFIED", "begin-rollback").includes("reserve"));
  });

  test("is given back when it is known how things are", () => {
    assert.ok(effectsTo("EXECUTING", "seal-verified").includes("release"));
    assert.ok(effectsTo("EXECUTING", "fail").includes("release"));
    assert.ok(effectsTo("ROLLING_BACK", "seal-rolled-back").includes("release"));
    assert.ok(effectsTo("LOST", "resolve").includes("release"));
  });

  test("is kept where nobody knows, and for ever where a rollback failed", () => {
    for (const [place, type] of [
      ["EXECUTING", "lose-track"],
      ["EXECUTING", "interrupted"],
      ["ROLLING_BACK", "lose-track"],
      ["ROLLING_BACK", "interrupted"],
      ["ROLLING_BACK", "fail-rollback"],
    ] as const) {
      const effects = effectsTo(place, type);
      assert.ok(!effects.includes("release") && !effects.includes("reserve"), `${place} ${type}`);
    }
  });
});

test("history has the states, the cause and the evidence's digest, and no nonce", () => {
  const lost = contractAt("LOST");
  const { effects } = run(lost, eventFor(lost, "resolve", { nonce: "hunter2" }));
  const audit = effects.find((effect) => effect.type === "audit");
  assert.ok(audit?.type === "audit");
  assert.deepEqual(
    [audit.event.previousState, audit.event.currentState, audit.event.stateVersion],
    ["RECONCILIATION", "VERIFIED", lost.stateVersion + 1],
  );
  assert.equal(audit.event.evidenceDigest, digestFor("evidence"));
  assert.doesNotMatch(JSON.stringify(audit), /hunter2/);
});
