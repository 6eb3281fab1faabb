import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { shareOf } from "./share-of.js";

describe("a limit of several processes", () => {
  it("shares add up to the limit, and none is empty or larger than another by more than one", () => {
    const limits = fc.integer({ min: 16, max: 8_192 });
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 16 }), (limit, processes) => {
        const shares = Array.from({ length: processes }, (_, at) =>
          shareOf(limit, processes, at + 1),
        );
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0),
          limit,
        );
        assert.ok(Math.min(...shares) >= 1 && Math.max(...shares) - Math.min(...shares) <= 1);
      }),
      { numRuns: profile.fuzz, seed: profile.seed },
    );
  });
});
