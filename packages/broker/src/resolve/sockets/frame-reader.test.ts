import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { createFrameReader, type FrameStep, frame } from "./frame-reader.js";

const runs = { numRuns: profile.fuzz, seed: profile.seed };

/** Pushes the bytes in pieces until something other than "more" is said. */
const read = (bytes: Uint8Array, cuts: readonly number[], maxBytes: number): FrameStep => {
  const reader = createFrameReader(maxBytes);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  at.sort((left, right) => left - right);
  for (let index = 1; index < at.length; index += 1) {
    const step = reader.push(bytes.subarray(at[index - 1], at[index]));
    if (step.kind !== "more") return step;
  }
  return { kind: "more" };
};

test("a message is the same in whatever pieces it comes, and whatever follows it", () => {
  const message = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(message, fc.array(fc.nat()), fc.uint8Array(), (bytes, cuts, after) => {
      const step = read(Uint8Array.of(...frame(bytes), ...after), cuts, 300);
      assert.deepEqual(step, { kind: "message", bytes });
    }),
    runs,
  );
});

test("a message that doesn't end is none", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat()), (bytes, cuts) => {
      const whole = frame(bytes);
      assert.equal(read(whole.subarray(0, -1), cuts, 300).kind, "more");
    }),
    runs,
  );
});

test("a message beyond the limit is refused by its length alone", () => {
  assert.deepEqual(read(Uint8Array.of(1, 1), [], 256), { kind: "too-long" });
  assert.equal(read(frame(new Uint8Array(256)), [], 256).kind, "message");
});
