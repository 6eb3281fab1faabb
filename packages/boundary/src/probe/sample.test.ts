import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { predictTruthTable } from "../meaning/index.js";
import { boundPlatform, boundScenario, plan } from "../testing/index.js";
import { ranked, SAMPLE_SIZE } from "./index.js";

const cells = predictTruthTable({ scenario: boundScenario, platform: boundPlatform }, plan.nodes);
const seeds = fc.uint8Array({ minLength: 16, maxLength: 16 });
const runs = { numRuns: Math.min(profile.fuzz, 50), seed: profile.seed };

test("every sample has an allowed and a denied flow of each authority, of its own rules", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const sample = ranked(cells, seed).slice(0, SAMPLE_SIZE);
      for (const authority of ["scenario", "platform"]) {
        for (const expected of ["reachable", "blocked"]) {
          assert.ok(
            sample.some(
              ({ source, destination, expected: is, reason }) =>
                source.authority === authority &&
                destination.authority === authority &&
                is === expected &&
                reason === null,
            ),
            `${authority} ${expected}`,
          );
        }
      }
      assert.deepEqual(new Set(sample.map(({ protocol }) => protocol)).size, 3);
      const pairs = new Set(
        sample.map((cell) => `${cell.source.holder} ${cell.destination.holder}`),
      );
      assert.ok(pairs.size > SAMPLE_SIZE / 2, `${pairs.size} pairs`);
    }),
    runs,
  );
});

test("it is an order of all cells, and the seed's alone", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const order = ranked(cells, seed);
      assert.equal(order.length, cells.length);
      assert.equal(new Set(order).size, cells.length);
      assert.deepEqual(ranked([...cells].reverse(), seed), order);
    }),
    { ...runs, numRuns: 5 },
  );
  assert.notDeepEqual(ranked(cells, Buffer.from("a")), ranked(cells, Buffer.from("b")));
});
