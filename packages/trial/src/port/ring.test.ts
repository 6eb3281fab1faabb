import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { Ring } from "./ring.js";

test("a ring holds the last bytes and counts the others, however they arrive", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 64 }),
      (chunks, limit) => {
        const ring = new Ring(limit);
        for (const chunk of chunks) ring.push(Buffer.from(chunk));
        const all = Buffer.concat(chunks);
        const expected = all.subarray(Math.max(0, all.length - limit));
        assert.deepEqual(ring.contents(), expected);
        assert.equal(ring.kept, expected.length);
        assert.equal(ring.dropped, all.length - expected.length);
      },
    ),
    { seed: profile.seed, numRuns: profile.fuzz },
  );
});

test("a flood of single bytes costs the bound and no more, past what a new ring takes", () => {
  const limit = 100 * 1024;
  const ring = new Ring(limit);
  const total = 200_000;
  for (let index = 0; index < total; index += 1) ring.push(Buffer.from([index % 251]));
  const expected = Buffer.from(
    Array.from({ length: limit }, (_unused, index) => (total - limit + index) % 251),
  );
  assert.deepEqual(ring.contents(), expected);
  assert.equal(ring.dropped, total - limit);
});
