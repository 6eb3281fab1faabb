import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { MAX_ARMINGS } from "./limits.js";
import { type Fault, PHASES, type Phase } from "./model.js";
import { PASS, planFaults } from "./plan.js";
import { type SessionEffect, type SessionEvent, startSession, stepSession } from "./step.js";

const run = (
  events: readonly SessionEvent[],
  mutationsUntil: number | null = null,
): readonly SessionEffect[] => {
  let state = startSession(mutationsUntil);
  return events.flatMap((event) => {
    const step = stepSession(state, event);
    state = step.state;
    return step.effects;
  });
};

const request = (method: string, at = 0): SessionEvent => ({ type: "request", method, at });
const arm = (id: string, phase: Phase, nth = 1): SessionEvent => ({
  type: "arm",
  arming: { id, phase, nth, plan: { ...PASS, request: { kind: "reset-before" } } },
});
const phases = (effects: readonly SessionEffect[]): readonly string[] =>
  effects.map((effect) => (effect.type === "full" ? "full" : effect.phase));
const fired = (effects: readonly SessionEffect[]): readonly (string | null)[] =>
  effects.map((effect) => (effect.type === "exchange" ? effect.arming : null));

describe("the phase of a request", () => {
  it("is known by its order within the operation, not by being the first", () => {
    const events = [
      ...["GET", "GET", "PATCH", "GET", "HEAD"].map((method) => request(method)),
      { type: "begin", operation: "rollback" } as const,
      ...["GET", "PATCH", "GET"].map((method) => request(method)),
      { type: "begin", operation: "forward" } as const,
      request("GET"),
    ];
    assert.deepEqual(phases(run(events)), [
      ...["pre-send-read", "pre-send-read", "mutation", "readback", "readback"],
      ...["pre-rollback-read", "rollback", "rollback-readback"],
      "pre-send-read",
    ]);
  });

  it("a second mutation of an operation is that operation's, as a retry would be", () => {
    assert.deepEqual(phases(run(["PATCH", "PATCH", "GET", "PATCH"].map((m) => request(m)))), [
      ...["mutation", "mutation", "readback", "mutation"],
    ]);
  });

  it("a method that nobody knows counts as a mutation", () => {
    assert.deepEqual(phases(run([request("PROPFIND"), request("get"), request("GET")])), [
      ...["mutation", "mutation", "readback"],
    ]);
  });
});

describe("an arming", () => {
  it("for the read-back doesn't fire on the first request, nor on the PATCH", () => {
    const events = [arm("a", "readback"), ...["GET", "PATCH", "GET", "GET"].map((m) => request(m))];
    assert.deepEqual(fired(run(events)), [null, null, "a", null]);
  });

  it("for the so many-eth counts from when it was armed", () => {
    const reads = ["GET", "GET", "GET", "GET"].map((method) => request(method));
    assert.deepEqual(fired(run([arm("a", "pre-send-read", 3), ...reads])), [null, null, "a", null]);
    assert.deepEqual(fired(run([...reads, arm("b", "pre-send-read"), ...reads])).indexOf("b"), 4);
  });

  it("of two that are due the older fires, and the other at the next", () => {
    const events = [arm("a", "mutation"), arm("b", "mutation")];
    const mutations = ["PATCH", "PATCH", "PATCH"].map((method) => request(method));
    assert.deepEqual(fired(run([...events, ...mutations])), ["a", "b", null]);
  });

  it("that is taken back doesn't fire", () => {
    assert.deepEqual(fired(run([arm("a", "mutation"), request("PATCH")])), ["a"]);
    assert.deepEqual(fired(run([arm("a", "mutation"), { type: "disarm" }, request("PATCH")])), [
      null,
    ]);
  });

  it("finds room until there is none", () => {
    const many = Array.from({ length: MAX_ARMINGS }, (_, at) => arm(`a${at}`, "mutation"));
    assert.deepEqual(run(many), []);
    assert.deepEqual(run([...many, arm("more", "mutation")]), [{ type: "full" }]);
  });
});

describe("past the deadline", () => {
  it("mutations are refused and reads aren't, to the millisecond", () => {
    const kinds = (at: number): readonly string[] =>
      run([request("GET", at), request("PATCH", at), request("GET", at)], 1000).map(
        ({ type }) => type,
      );
    assert.deepEqual(kinds(999), ["exchange", "exchange", "exchange"]);
    assert.deepEqual(kinds(1000), ["exchange", "refuse", "exchange"]);
  });

  it("no fault fires, and what is read then is read back", () => {
    const effects = run([arm("a", "mutation"), request("PATCH", 5), request("GET", 5)], 5);
    assert.deepEqual(phases(effects), ["mutation", "readback"]);
    assert.equal(effects[0]?.type, "refuse");
  });

  it("a deadline comes nearer and never goes away", () => {
    const deadline = (mutationsUntil: number): SessionEvent => ({
      type: "deadline",
      mutationsUntil,
    });
    const types = (...events: readonly SessionEvent[]) =>
      run([...events, request("PATCH", 500)], 1000).map(({ type }) => type);
    assert.deepEqual(types(deadline(500)), ["refuse"]);
    assert.deepEqual(types(deadline(500), deadline(2000)), ["refuse"]);
    assert.deepEqual(types(deadline(2000)), ["exchange"]);
    assert.equal(run([deadline(2000), request("PATCH", 1000)], 1000)[0]?.type, "refuse");
  });
});

const phase = fc.constantFrom(...PHASES);
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("GET", "PATCH", "POST", "HEAD", "DELETE").map((m) => request(m)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.uuid(), phase, fc.integer({ min: 1, max: 4 })).map((a) => arm(...a)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("forward" as const, "rollback" as const)
      .map((operation) => ({ type: "begin" as const, operation })),
  },
  { weight: 1, arbitrary: fc.constant({ type: "disarm" as const }) },
);

describe("in any order of events", () => {
  it("every arming fires at most once, only in its phase, and one a request", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const armed = new Map(
          events.flatMap((one) => (one.type === "arm" ? [[one.arming.id, one.arming.phase]] : [])),
        );
        const seen = new Set<string>();
        for (const effect of run(events)) {
          if (effect.type !== "exchange" || effect.arming === null) continue;
          assert(!seen.has(effect.arming));
          seen.add(effect.arming);
          assert.equal(effect.phase, armed.get(effect.arming));
        }
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("every request has one answer, and a read is a read-back exactly behind a mutation", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const requests = events.filter(({ type }) => type === "request" || type === "begin");
        const effects = run(events).filter(({ type }) => type !== "full");
        let mutated = false;
        let at = 0;
        for (const one of requests) {
          if (one.type === "begin") mutated = false;
          if (one.type !== "request") continue;
          const effect = effects[at];
          assert(effect?.type === "exchange");
          at += 1;
          const read = ["GET", "HEAD"].includes(one.method);
          if (read) assert.equal(effect.phase.includes("readback"), mutated);
          else mutated = true;
        }
        assert.equal(at, effects.length);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});

const amount = fc.oneof(
  fc.nat({ max: 1000 }),
  fc
    .tuple(fc.nat({ max: 500 }), fc.nat({ max: 500 }))
    .map(([min, more]) => ({ min, max: min + more })),
);
const direction = fc.constantFrom("request" as const, "response" as const);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>(
    { kind: "pass" },
    { kind: "reset-before" },
    { kind: "drop-response" },
    { kind: "duplicate" },
  ),
  amount.map((afterBytes): Fault => ({ kind: "reset-upload", afterBytes })),
  amount.map((afterBytes): Fault => ({ kind: "truncate-response", afterBytes })),
  fc.tuple(direction, amount).map(([d, ms]): Fault => ({ kind: "delay", direction: d, ms })),
  fc.tuple(direction, amount).map(([d, ms]): Fault => ({ kind: "timeout", direction: d, ms })),
);

describe("the plan of some faults", () => {
  it("is the same for the same seed, and within every range", () => {
    fc.assert(
      fc.property(fc.array(fault, { maxLength: 4 }), fc.nat(), (faults, seed) => {
        const plan = (): unknown => {
          try {
            return planFaults(faults, seed);
          } catch (error) {
            return Reflect.get(error as object, "code");
          }
        };
        assert.deepEqual(plan(), plan());
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
    const ranged = { kind: "delay", direction: "request", ms: { min: 10, max: 20 } } as const;
    const drawn = Array.from(
      { length: 200 },
      (_, seed) => planFaults([ranged], seed).delayRequestMs,
    );
    assert.deepEqual([Math.min(...drawn), Math.max(...drawn), new Set(drawn).size], [10, 20, 11]);
  });

  it("refuses what can't both happen, and takes what can", () => {
    const delay = (d: "request" | "response"): Fault => ({ kind: "delay", direction: d, ms: 1 });
    const contradictions: readonly (readonly Fault[])[] = [
      [{ kind: "reset-before" }, { kind: "drop-response" }],
      [{ kind: "reset-before" }, { kind: "duplicate" }],
      [{ kind: "reset-before" }, { kind: "timeout", direction: "request" }],
      [{ kind: "reset-upload", afterBytes: 3 }, delay("response")],
      [{ kind: "timeout", direction: "response" }, { kind: "duplicate" }],
      [delay("request"), delay("request")],
    ];
    for (const faults of contradictions) {
      assert.throws(() => planFaults(faults, 1), { code: "FAULTS_CONTRADICT" });
      for (const one of faults) planFaults([one], 1);
    }
    planFaults(
      [delay("request"), delay("response"), { kind: "duplicate" }, { kind: "drop-response" }],
      1,
    );
  });
});
