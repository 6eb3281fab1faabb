import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { TunnelLimits } from "./model.js";
import { startTunnel, stepTunnel, type TunnelEffect, type TunnelEvent } from "./step.js";

const LIMITS: TunnelLimits = {
  idleTimeoutMs: 100,
  lifetimeMs: 1000,
  maxBytesUp: 10,
  maxBytesDown: 20,
};

/** All effects of a tunnel opened at 0, as text. */
const effectsOf = (...events: readonly TunnelEvent[]): readonly string[] => {
  let { state, effects } = startTunnel(LIMITS, 0);
  const seen: TunnelEffect[] = [...effects];
  for (const event of events) {
    ({ state, effects } = stepTunnel(state, event));
    seen.push(...effects);
  }
  return seen.map((effect) => Object.values(effect).join(" "));
};

describe("the rules of a tunnel", () => {
  it("let it be idle in one direction, not in both", () => {
    const woke = (at: number, lastByteAt: number): TunnelEvent => ({
      type: "woke",
      at,
      lastByteAt,
    });
    assert.deepEqual(effectsOf(woke(100, 60)), ["wake 100", "wake 160"]);
    assert.deepEqual(effectsOf(woke(100, 0)), ["wake 100", "cut", "report IDLE"]);
    assert.deepEqual(effectsOf(woke(160, 60)), ["wake 100", "cut", "report IDLE"]);
  });

  it("end it after its lifetime, however busy it is", () => {
    assert.deepEqual(effectsOf({ type: "woke", at: 980, lastByteAt: 970 }), [
      "wake 100",
      "wake 1000",
    ]);
    assert.deepEqual(effectsOf({ type: "woke", at: 1000, lastByteAt: 999 }), [
      "wake 100",
      "cut",
      "report LIFETIME",
    ]);
  });

  it("allow exactly the bytes of each way's limit", () => {
    assert.deepEqual(effectsOf({ type: "bytes", up: 10, down: 20 }), ["wake 100"]);
    assert.deepEqual(effectsOf({ type: "bytes", up: 11, down: 0 }), [
      "wake 100",
      "cut",
      "report BYTES_UP",
    ]);
    assert.deepEqual(effectsOf({ type: "bytes", up: 0, down: 21 }), [
      "wake 100",
      "cut",
      "report BYTES_DOWN",
    ]);
  });

  it("pass a half-close on and end when both ways are through", () => {
    const whole: readonly TunnelEvent[] = [
      { type: "ended", side: "client" },
      { type: "finished", side: "upstream" },
      { type: "ended", side: "upstream" },
    ];
    assert.deepEqual(effectsOf(...whole), ["wake 100", "end upstream", "end client"]);
    assert.deepEqual(
      effectsOf(...whole, { type: "finished", side: "client" }).at(-1),
      "report CLOSED",
    );
  });

  it("reset the other side when one is gone, unless that one was through", () => {
    assert.deepEqual(effectsOf({ type: "failed", side: "client" }), [
      "wake 100",
      "cut",
      "report CLIENT_RESET",
    ]);
    assert.deepEqual(effectsOf({ type: "failed", side: "upstream" }), [
      "wake 100",
      "cut",
      "report UPSTREAM_RESET",
    ]);
    const half: TunnelEvent = { type: "ended", side: "client" };
    assert.equal(effectsOf(half, { type: "failed", side: "client" }).at(-1), "report CLIENT_RESET");
    const through: readonly TunnelEvent[] = [
      half,
      { type: "ended", side: "upstream" },
      { type: "finished", side: "client" },
    ];
    assert.equal(effectsOf(...through, { type: "failed", side: "client" }).at(-1), "end client");
  });

  it("report exactly once, as the last thing, in any order of events", () => {
    const side = fc.constantFrom("client" as const, "upstream" as const);
    const event: fc.Arbitrary<TunnelEvent> = fc.oneof(
      fc.record({
        type: fc.constant("woke" as const),
        at: fc.nat({ max: 1200 }),
        lastByteAt: fc.nat({ max: 1200 }),
      }),
      fc.record({
        type: fc.constant("bytes" as const),
        up: fc.nat({ max: 12 }),
        down: fc.nat({ max: 24 }),
      }),
      fc.record({
        type: fc.constantFrom("ended" as const, "finished" as const, "failed" as const),
        side,
      }),
      fc.constant({ type: "done" as const }),
      fc.constant({ type: "refused" as const, reason: "REVOKED" as const }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const effects = effectsOf(...events);
        const reports = effects.filter((effect) => effect.startsWith("report"));
        assert(reports.length <= 1);
        if (reports.length === 1) assert(effects.at(-1)?.startsWith("report"));
        const cuts = effects.filter((effect) => effect === "cut");
        const clean = ["report CLOSED", undefined].includes(reports[0]);
        assert.equal(cuts.length, clean ? 0 : 1);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
