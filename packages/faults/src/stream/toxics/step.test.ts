import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { chanceOf } from "../../chance/index.js";
import type { Effect, Scheduled, ToxicEvent } from "./model.js";
import { cutsOf } from "./slice.js";
import { startToxic, stepToxic } from "./step.js";

const run = (effect: Effect, ...events: readonly ToxicEvent[]): readonly Scheduled[] => {
  let state = startToxic(chanceOf(1));
  return events.flatMap((event) => {
    const step = stepToxic(effect, state, event);
    state = step.state;
    return step.scheduled;
  });
};
const text = (scheduled: readonly Scheduled[]): readonly string[] =>
  scheduled.map(({ at, output }) =>
    output.kind === "data" ? `${at} ${Buffer.from(output.bytes)}` : `${at} ${output.kind}`,
  );
const data = (at: number, bytes: string): ToxicEvent => ({
  type: "data",
  at,
  bytes: Buffer.from(bytes),
});
const end = (at: number): ToxicEvent => ({ type: "end", at, how: "end" });
const start = (at: number): ToxicEvent => ({ type: "start", at });

describe("toxics", () => {
  it("latency: everything so much later, in order, the end behind it", () => {
    const effect = { type: "latency", attributes: { latency: 100, jitter: 0 } } as const;
    assert.deepEqual(text(run(effect, data(0, "a"), data(5, "b"), end(6))), [
      ...["100 a", "105 b", "105 end"],
    ]);
    const jitter = { type: "latency", attributes: { latency: 100, jitter: 50 } } as const;
    const dues = run(jitter, ...Array.from({ length: 100 }, (_, at) => data(at * 1000, "x"))).map(
      ({ at }, index) => at - index * 1000,
    );
    assert(dues.every((due) => due >= 50 && due < 150) && new Set(dues).size > 20);
  });

  it("bandwidth: so many bytes a millisecond, long chunks in parts", () => {
    const effect = { type: "bandwidth", attributes: { rate: 1 } } as const;
    const scheduled = run(effect, data(0, "x".repeat(250)), data(0, "y"), end(1));
    assert.deepEqual(
      scheduled.map(({ at, output }) => [
        at,
        output.kind === "data" ? output.bytes.length : output.kind,
      ]),
      [
        [100, 100],
        [200, 100],
        [250, 50],
        [251, 1],
        [251, "end"],
      ],
    );
    const none = run({ type: "bandwidth", attributes: { rate: 0 } }, data(0, "ab"), end(1));
    assert(none.every(({ at }) => at === Number.POSITIVE_INFINITY));
    assert.equal(text(none).join(""), "Infinity aInfinity bInfinity end");
  });

  it("slow_close: bytes at once, the end later", () => {
    const effect = { type: "slow_close", attributes: { delay: 70 } } as const;
    assert.deepEqual(text(run(effect, data(1, "a"), end(2))), ["1 a", "72 end"]);
  });

  it("timeout: no bytes, and the close after so long, or never", () => {
    const effect = { type: "timeout", attributes: { timeout: 70 } } as const;
    assert.deepEqual(text(run(effect, start(3), data(4, "a"), data(50, "b"))), ["73 close"]);
    const never = { type: "timeout", attributes: { timeout: 0 } } as const;
    assert.deepEqual(text(run(never, start(3), data(4, "a"))), []);
    assert.deepEqual(text(run(never, start(3), data(4, "a"), end(9))), ["9 close"]);
  });

  it("reset_peer: a reset so long after the first byte or end, and nothing else", () => {
    const effect = { type: "reset_peer", attributes: { timeout: 20 } } as const;
    assert.deepEqual(text(run(effect, start(0))), []);
    assert.deepEqual(text(run(effect, start(0), data(5, "a"), data(6, "b"), end(7))), ["25 reset"]);
    assert.deepEqual(text(run(effect, end(7))), ["27 reset"]);
  });

  it("limit_data: so many bytes, then the close", () => {
    const effect = (bytes: number) => ({ type: "limit_data", attributes: { bytes } }) as const;
    assert.deepEqual(text(run(effect(3), data(0, "ab"), data(1, "cd"), data(2, "e"))), [
      ...["0 ab", "1 c", "1 close"],
    ]);
    assert.deepEqual(text(run(effect(2), data(0, "ab"))), ["0 ab", "0 close"]);
    assert.deepEqual(text(run(effect(3), data(0, "ab"), end(1))), ["0 ab", "1 end"]);
    assert.deepEqual(text(run(effect(0), data(4, "ab"))), ["4 close"]);
  });

  it("slicer: all bytes in order, each slice about so long and so much later", () => {
    const effect = {
      type: "slicer",
      attributes: { average_size: 10, size_variation: 5, delay: 2000 },
    } as const;
    const scheduled = run(effect, data(0, "0123456789".repeat(20)), end(0));
    const slices = scheduled.flatMap(({ output }) =>
      output.kind === "data" ? [output.bytes] : [],
    );
    assert.equal(Buffer.concat(slices).toString(), "0123456789".repeat(20));
    assert(slices.length > 10 && slices.every(({ length }) => length >= 1 && length <= 15));
    assert.deepEqual(
      scheduled.map(({ at }) => at),
      scheduled.map((_, index) => index * 2),
    );
  });

  it("any cutting is complete, in order and within its size", () => {
    const size = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(
        fc.nat({ max: 5_000 }),
        size,
        fc.nat({ max: 49 }),
        fc.nat(),
        (length, average, more, seed) => {
          const variation = Math.min(more, average - 1);
          const [cuts] = cutsOf(length, average, variation, chanceOf(seed));
          assert.equal(cuts.at(-1), length);
          cuts.forEach((cut, at) => {
            const slice = cut - (cuts[at - 1] ?? 0);
            assert(slice <= average + variation && (slice >= 1 || length === 0));
          });
        },
      ),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });

  it("those that keep bytes keep them all, in order, and never go back in time", () => {
    const effect: fc.Arbitrary<Effect> = fc.oneof(
      fc.record({
        type: fc.constant("latency" as const),
        attributes: fc.record({ latency: fc.nat({ max: 50 }), jitter: fc.nat({ max: 80 }) }),
      }),
      fc.record({
        type: fc.constant("bandwidth" as const),
        attributes: fc.record({ rate: fc.nat({ max: 5 }) }),
      }),
      fc.record({
        type: fc.constant("slicer" as const),
        attributes: fc.record({
          average_size: fc.integer({ min: 5, max: 9 }),
          size_variation: fc.nat({ max: 4 }),
          delay: fc.nat({ max: 900 }),
        }),
      }),
      fc.record({
        type: fc.constant("slow_close" as const),
        attributes: fc.record({ delay: fc.nat({ max: 50 }) }),
      }),
    );
    const chunks = fc.array(
      fc.tuple(fc.nat({ max: 30 }), fc.string({ minLength: 1, maxLength: 40 })),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(effect, chunks, (one, parts) => {
        let at = 0;
        const events = parts.map(([later, bytes]) => {
          at += later;
          return data(at, bytes);
        });
        const scheduled = run(one, start(0), ...events, end(at));
        const bytes = scheduled.flatMap(({ output }) =>
          output.kind === "data" ? [output.bytes] : [],
        );
        assert.deepEqual(Buffer.concat(bytes).toString(), parts.map(([, text]) => text).join(""));
        assert.equal(scheduled.at(-1)?.output.kind, "end");
        const dues = scheduled.map((each) => each.at);
        assert.deepEqual(
          dues,
          [...dues].sort((a, b) => a - b),
        );
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
