import assert from "node:assert/strict";
import { it } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { IpAddress } from "../../address/address.js";
import {
  type KeptAnswer,
  type KeptAnswers,
  keep,
  keptFor,
  MAX_KEPT,
  NONE_KEPT,
} from "./kept-answers.js";

const RUNS = { numRuns: profile.fuzz, seed: profile.seed };
const MAX_AGE_MS = 30_000;

const v4 = (...bytes: number[]): IpAddress => ({ family: 4, bytes: Uint8Array.from(bytes) });
const GLOBAL = [v4(93, 184, 216, 34)];
const answered = (askedAt: number, ttl = 60, addresses = GLOBAL): KeptAnswer => ({
  addresses,
  ttl,
  askedAt,
});

interface Step {
  readonly waitMs: number;
  readonly name: string;
  readonly answer: null | {
    readonly ttl: number;
    readonly tookMs: number;
    readonly global: boolean;
  };
}

/** Looking for names, and answers to some, as time passes. */
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    waitMs: fc.nat(20_000),
    name: fc.constantFrom("a.example", "b.example", "c.example"),
    answer: fc.option(
      fc.record({
        ttl: fc.oneof(fc.nat(40), fc.constant(Number.POSITIVE_INFINITY)),
        tookMs: fc.nat(6_000),
        global: fc.boolean(),
      }),
    ),
  }),
  { maxLength: 40 },
);

it("what is found came for that name, was global, and is within its time", () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 1_000, MAX_AGE_MS), (all, maxAgeMs) => {
      let kept: KeptAnswers = NONE_KEPT;
      let at = 100_000;
      const given = new Map<KeptAnswer, string>();
      for (const { waitMs, name, answer } of all) {
        at += waitMs;
        const found = keptFor(kept, name, at, maxAgeMs);
        if (found !== null) {
          assert.equal(given.get(found), name);
          const ageMs = at - found.askedAt;
          assert.ok(ageMs >= 0 && ageMs < maxAgeMs && ageMs < found.ttl * 1_000);
        }
        if (answer === null) continue;
        const addresses = answer.global ? GLOBAL : [...GLOBAL, v4(10, 0, 0, 1)];
        const one = answered(at - answer.tookMs, answer.ttl, addresses);
        if (answer.global) given.set(one, name);
        kept = keep(kept, name, one, at, maxAgeMs);
      }
    }),
    RUNS,
  );
});

it("the newest look-up's answer is found, however late an older one comes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(29_000), { minLength: 1, maxLength: 8 }), (agesMs) => {
      const at = 100_000;
      const kept = agesMs.reduce<KeptAnswers>(
        (before, ageMs) => keep(before, "a.example", answered(at - ageMs), at, MAX_AGE_MS),
        NONE_KEPT,
      );
      const found = keptFor(kept, "a.example", at, MAX_AGE_MS);
      assert.equal(found?.askedAt, at - Math.min(...agesMs));
    }),
    RUNS,
  );
});

it("at most so many are kept, and the oldest goes first", () => {
  let kept: KeptAnswers = NONE_KEPT;
  for (let n = 0; n <= MAX_KEPT; n += 1) {
    kept = keep(kept, `n${n}.example`, answered(n), n, MAX_AGE_MS);
    assert.ok(kept.size <= MAX_KEPT);
  }
  assert.equal(keptFor(kept, "n0.example", MAX_KEPT, MAX_AGE_MS), null);
  for (let n = 1; n <= MAX_KEPT; n += 1)
    assert.equal(keptFor(kept, `n${n}.example`, MAX_KEPT, MAX_AGE_MS)?.askedAt, n);
});

it("nothing stays in memory for longer than it may be used once another is kept", () => {
  const first = keep(NONE_KEPT, "a.example", answered(0, 5), 0, MAX_AGE_MS);
  assert.deepEqual([...first.keys()], ["a.example"]);
  assert.deepEqual(
    [...keep(first, "b.example", answered(4_999), 4_999, MAX_AGE_MS).keys()].sort(),
    ["a.example", "b.example"],
  );
  assert.deepEqual(
    [...keep(first, "b.example", answered(5_000), 5_000, MAX_AGE_MS).keys()],
    ["b.example"],
  );
});
