import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { Plan } from "../arming/model.js";
import { PASS } from "../arming/plan.js";
import { deliveryOf } from "./delivery.js";
import {
  type ExchangeEffect,
  type ExchangeEvent,
  startExchange,
  stepExchange,
} from "./exchange.js";

const run = (plan: Plan, events: readonly ExchangeEvent[]) => {
  let state = startExchange(plan);
  const effects: ExchangeEffect[] = [];
  for (const event of events) {
    const step = stepExchange(state, event);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
};

const event: fc.Arbitrary<ExchangeEvent> = fc.oneof(
  fc
    .constantFrom(
      "received",
      "woke",
      "too-late",
      "connected",
      "part-sent",
      "discarded",
      "passed",
      "upstream-failed",
      "client-gone",
    )
    .map((type) => ({ type }) as ExchangeEvent),
  fc.constantFrom(200, 204, 404, 500).map((status) => ({ type: "answered" as const, status })),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  kinds: fc.constant([]),
  delayRequestMs: fc.constantFrom(0, 5),
  request: fc.constantFrom<Plan["request"]>(
    { kind: "deliver", copies: 1 },
    { kind: "deliver", copies: 3 },
    { kind: "reset-before" },
    { kind: "reset-upload", afterBytes: 3 },
    { kind: "timeout", ms: 7 },
  ),
  delayResponseMs: fc.constantFrom(0, 5),
  response: fc.constantFrom<Plan["response"]>(
    { kind: "pass" },
    { kind: "drop", ending: "reset" },
    { kind: "drop", ending: "silence" },
    { kind: "truncate", afterBytes: 3 },
    { kind: "timeout", ms: 7 },
  ),
});

describe("the rules of an exchange, in any order of events", () => {
  const check = (
    property: (plan: Plan, events: readonly ExchangeEvent[], seen: ReturnType<typeof run>) => void,
  ): void =>
    fc.assert(
      fc.property(plan, fc.array(event, { maxLength: 20 }), (of, events) =>
        property(of, [{ type: "received" }, ...events], run(of, [{ type: "received" }, ...events])),
      ),
      { numRuns: profile.fuzz * 5, seed: profile.seed },
    );

  it("settle once, as the last thing", () => {
    check((_plan, _events, { effects, state }) => {
      const settled = effects.filter(({ type }) => type === "settle");
      assert.equal(settled.length, state.stage === "over" ? 1 : 0);
      if (settled.length === 1) assert.equal(effects.at(-1)?.type, "settle");
    });
  });

  it("never hand over more copies than planned, and none of what isn't to be delivered", () => {
    check(({ request }, _events, { effects, state }) => {
      const sends = effects.filter(({ type }) => type === "send-copy").length;
      assert(sends <= (request.kind === "deliver" ? request.copies : 0));
      assert.equal(state.copies, sends);
      if (request.kind !== "deliver")
        assert.equal(deliveryOf(state.sent, state.status !== null), "proven-not");
    });
  });

  it("never pass an answer that is dropped, and drop none that says no commit", () => {
    check(({ response }, _events, { effects, state }) => {
      const passes = effects.some(({ type }) => type === "pass");
      const committed = state.status !== null && state.status < 300;
      const dropped = effects.some((e) => e.type === "settle" && e.outcome === "dropped");
      if (response.kind === "drop" && committed) assert(!passes);
      if (dropped) assert(response.kind === "drop" && committed && !passes);
      if (response.kind === "timeout") assert(!passes && state.status === null);
    });
  });

  it("send nothing from the deadline on, and refuse only what wasn't sent at all", () => {
    for (const before of [[], ["received"], ["received", "woke"]] as const)
      for (const copies of [1, 3]) {
        const of: Plan = { ...PASS, delayRequestMs: 5, request: { kind: "deliver", copies } };
        const events = [...before, "too-late", "received", "woke", "connected"] as const;
        const { effects, state } = run(
          of,
          events.map((type) => ({ type })),
        );
        assert.deepEqual(effects.slice(-2), [
          { type: "refuse-client" },
          { type: "settle", outcome: "refused-deadline" },
        ]);
        assert.equal(state.copies, 0);
      }
    check(({ request }, events, { state }) => {
      const at = events.findIndex(({ type }) => type === "too-late");
      if (at === -1 || request.kind !== "deliver") return;
      const { copies } = run(state.plan, events.slice(0, at)).state;
      assert.equal(state.copies, copies);
    });
  });

  it("say delivered only behind an answer, and not delivered only before the whole was sent", () => {
    check((_plan, events, { state }) => {
      const known = deliveryOf(state.sent, state.status !== null);
      const types = events.map(({ type }) => type);
      if (known === "proven") assert(types.includes("answered"));
      if (known === "proven-not") assert(state.copies === 0);
      if (known === "possibly") assert(types.includes("connected"));
    });
  });
});

it("a clean exchange is sent, passed and settled", () => {
  const { effects } = run(PASS, [
    { type: "received" },
    { type: "connected" },
    { type: "answered", status: 200 },
    { type: "passed" },
  ]);
  assert.deepEqual(
    effects.map((effect) => (effect.type === "settle" ? effect.outcome : effect.type)),
    ["connect", "send-copy", "pass", "answered"],
  );
});
