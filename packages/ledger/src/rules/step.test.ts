import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { eachResource, NOTHING, RESOURCE_NAMES } from "../resources/vector.js";
import { CEILING, ledgerEvents, oneBody, witness } from "../testing/arbitrary.js";
import type { LedgerEvent, LedgerRefusal } from "./event.js";
import type { RunRow, RunState } from "./row.js";
import { committed, type LedgerDecision, type LedgerState, step } from "./step.js";

const OPEN = { halted: false, generation: 4 };

const proposed: LedgerEvent = {
  type: "propose",
  run: "r1",
  key: "k1",
  request: "a",
  title: "true",
  evidence: "/evidence",
  owner: witness,
  holder: "h1",
  until: 100,
  at: 1,
};
const act = { run: "r1", generation: 1, at: 2 };
const reserve: LedgerEvent = {
  type: "reserve",
  ...act,
  resources: oneBody,
  ceiling: CEILING,
  halt: OPEN,
};
const intent: LedgerEvent = { type: "intent", ...act, intent: "i1", halt: OPEN };
const settle: LedgerEvent = { type: "settle", ...act, used: oneBody };

const play = (
  events: readonly LedgerEvent[],
  from: LedgerState = new Map(),
): { state: LedgerState; last: LedgerDecision } => {
  let state = from;
  let last: LedgerDecision | undefined;
  for (const event of events) {
    const next = step(state, event);
    state = next.state;
    last = next.decision;
  }
  assert.ok(last);
  return { state, last };
};

const refusal = (events: readonly LedgerEvent[]): LedgerRefusal | null => {
  const { last } = play(events);
  return last.kind === "refused" ? last.code : null;
};

const stateAfter = (events: readonly LedgerEvent[]): RunState | undefined =>
  play(events).state.get("r1")?.state;

test("the straight way ends in SETTLED and gives everything back", () => {
  const { state, last } = play([proposed, reserve, intent, settle]);
  assert.equal(last.kind, "accepted");
  assert.equal(state.get("r1")?.state, "SETTLED");
  assert.deepEqual(committed(state), NOTHING);
});

test("a run that never had a body is released, one that may have one is held", () => {
  assert.equal(stateAfter([proposed, reserve, { type: "release", ...act }]), "RELEASED");
  const dispatched = [proposed, reserve, intent];
  const held = play([...dispatched, { type: "hold", ...act, reason: "SILENCE" }]);
  assert.equal(held.state.get("r1")?.state, "HELD");
  assert.deepEqual(committed(held.state), oneBody);
  assert.equal(
    play([{ type: "release", ...act }], held.state).last.kind,
    "refused",
    "what is held waits for an observation",
  );
});

test("one key is one run: the second launch gets the first row and nothing new", () => {
  const again = play([proposed, { ...proposed, run: "r2", holder: "h2" }]);
  assert.equal(again.last.kind, "repeated");
  assert.equal(again.state.size, 1);
  assert.equal(refusal([proposed, { ...proposed, run: "r2", request: "b" }]), "LEDGER_KEY_REUSED");
  assert.equal(refusal([proposed, { ...proposed, key: "k2" }]), "LEDGER_RUN_EXISTS");
});

test("A holds generation 1, lapses, B takes generation 2, and A can do nothing any more", () => {
  const taken: LedgerEvent = {
    type: "lease",
    run: "r1",
    holder: "h2",
    owner: witness,
    until: 300,
    at: 100,
  };
  const before = [proposed, reserve, intent, taken];
  for (const late of [
    settle,
    { type: "hold", ...act, reason: "X" },
    { type: "conclude", ...act, outcome: { kind: "verdict", verdict: "PASS" } },
    { type: "renew", ...act, until: 900 },
    intent,
    reserve,
  ] satisfies LedgerEvent[]) {
    assert.equal(refusal([...before, late]), "LEDGER_FENCED", late.type);
  }
  // The control: the same settlement under B's generation.
  assert.equal(refusal([...before, { ...settle, generation: 2 }]), null);
});

test("a lease that isn't over can't be taken, and one that is over can't dispatch", () => {
  const early: LedgerEvent = {
    type: "lease",
    run: "r1",
    holder: "h2",
    owner: witness,
    until: 300,
    at: 99,
  };
  assert.equal(refusal([proposed, early]), "LEDGER_LEASE_HELD");
  assert.equal(refusal([proposed, { ...early, at: 100 }]), null);
  assert.equal(refusal([proposed, reserve, { ...intent, at: 100 }]), "LEDGER_LEASE_LAPSED");
  assert.equal(refusal([proposed, reserve, { ...intent, at: 99 }]), null);
  const renewed: LedgerEvent = { type: "renew", ...act, until: 200 };
  assert.equal(refusal([proposed, reserve, renewed, { ...intent, at: 100 }]), null);
  assert.equal(refusal([proposed, { ...renewed, at: 100 }]), "LEDGER_LEASE_LAPSED");
});

test("nothing is reserved under halt, nor dispatched after a halt that came and went", () => {
  assert.equal(
    refusal([proposed, { ...reserve, halt: { halted: true, generation: 5 } }]),
    "LEDGER_HALTED",
  );
  const halted: LedgerEvent = { ...intent, halt: { halted: true, generation: 5 } };
  const lifted: LedgerEvent = { ...intent, halt: { halted: false, generation: 6 } };
  assert.equal(refusal([proposed, reserve, halted]), "LEDGER_HALTED");
  assert.equal(refusal([proposed, reserve, lifted]), "LEDGER_HALTED");
  assert.equal(refusal([proposed, reserve, intent]), null);
});

test("the ceiling holds for each resource, held reservations included", () => {
  const second: LedgerEvent = { ...proposed, run: "r2", key: "k2" };
  for (const name of RESOURCE_NAMES) {
    const rest = CEILING[name] - oneBody[name];
    const ask = (amount: number): LedgerEvent => ({
      ...reserve,
      run: "r2",
      resources: eachResource((other) => (other === name ? amount : 0)),
    });
    const held: LedgerEvent[] = [
      proposed,
      reserve,
      intent,
      { type: "hold", ...act, reason: "X" },
      second,
    ];
    assert.equal(refusal([...held, ask(rest)]), null, name);
    assert.equal(refusal([...held, ask(rest + 1)]), "LEDGER_OVER_CEILING", name);
  }
});

test("using more than was reserved holds the reservation instead of settling it", () => {
  const over: LedgerEvent = { ...settle, used: { ...oneBody, memoryBytes: 4 } };
  const { state } = play([proposed, reserve, intent, over]);
  assert.equal(state.get("r1")?.state, "HELD");
  assert.equal(state.get("r1")?.holdReason, "OVERRUN_memoryBytes");
});

test("a dead owner's run is released, settled or held by what is known of its body", () => {
  const abandon = (bodyGone: boolean): LedgerEvent => ({
    type: "abandon",
    run: "r1",
    reason: "REAPED",
    bodyGone,
    at: 5,
  });
  assert.equal(stateAfter([proposed, abandon(false)]), "RELEASED");
  assert.equal(stateAfter([proposed, reserve, abandon(false)]), "RELEASED");
  assert.equal(stateAfter([proposed, reserve, intent, abandon(true)]), "SETTLED");
  const lost = play([proposed, reserve, intent, abandon(false)]);
  assert.equal(lost.state.get("r1")?.state, "HELD");
  assert.deepEqual(lost.state.get("r1")?.outcome, { kind: "incomplete", reason: "REAPED" });
  assert.equal(play([abandon(true)], lost.state).state.get("r1")?.state, "SETTLED");
  assert.equal(play([settle], lost.state).last.kind, "refused");
});

test("a verdict is concluded once and survives a late reaper", () => {
  const pass: LedgerEvent = {
    type: "conclude",
    ...act,
    outcome: { kind: "verdict", verdict: "PASS" },
  };
  const settled = [proposed, reserve, intent, settle, pass] satisfies LedgerEvent[];
  const other: LedgerEvent = { ...pass, outcome: { kind: "verdict", verdict: "FAIL" } };
  assert.equal(refusal([...settled, other]), "LEDGER_DIFFERENT_REPEAT");
  const late = play([
    ...settled,
    { type: "abandon", run: "r1", reason: "REAPED", bodyGone: true, at: 9 },
  ]);
  assert.equal(late.last.kind, "repeated");
  assert.deepEqual(late.state.get("r1")?.outcome, { kind: "verdict", verdict: "PASS" });
});

const NEXT: Readonly<Record<RunState, readonly RunState[]>> = {
  PROPOSED: ["PROPOSED", "RESERVED", "RELEASED"],
  RESERVED: ["RESERVED", "DISPATCHED", "RELEASED"],
  DISPATCHED: ["DISPATCHED", "SETTLED", "HELD", "RELEASED"],
  HELD: ["HELD", "SETTLED"],
  SETTLED: ["SETTLED"],
  RELEASED: ["RELEASED"],
};

test("whatever happens in whatever order: conserved, one run a key, forward only", () => {
  fc.assert(
    fc.property(ledgerEvents, (events) => {
      let state: LedgerState = new Map();
      for (const event of events) {
        const next = step(state, event);
        checkConserved(next.state);
        checkForward(state, next.state);
        checkRepeatChangesNothing(next.state, event);
        state = next.state;
      }
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});

const checkConserved = (state: LedgerState): void => {
  const taken = committed(state);
  for (const name of RESOURCE_NAMES) assert.ok(taken[name] <= CEILING[name], name);
  const keys = [...state.values()].map((row) => row.key);
  assert.equal(new Set(keys).size, keys.length);
};

const checkForward = (before: LedgerState, after: LedgerState): void => {
  for (const [run, row] of before) {
    const now: RunRow | undefined = after.get(run);
    assert.ok(now);
    assert.ok(NEXT[row.state].includes(now.state), `${row.state} → ${now.state}`);
    assert.ok(now.lease.generation >= row.lease.generation);
    if (row.outcome !== null) assert.deepEqual(now.outcome, row.outcome);
    if (row.intent !== null) assert.equal(now.intent, row.intent);
  }
};

const checkRepeatChangesNothing = (state: LedgerState, event: LedgerEvent): void => {
  // A second takeover is a new generation by design; everything else is idempotent.
  if (event.type === "lease") return;
  const again = step(state, event);
  if (again.decision.kind !== "accepted") return;
  const row = state.get(again.decision.row.run);
  assert.deepEqual(again.decision.row, row);
};
