import fc from "fast-check";
import { eachResource, type Resources } from "../resources/vector.js";
import type { LedgerEvent } from "../rules/event.js";

/** Small numbers on purpose: they collide, overflow the ceiling and repeat each other. */
export const CEILING: Resources = {
  liveBodies: 2,
  memoryBytes: 8,
  cpuMillis: 8,
  diskBytes: 8,
  wallMillis: 8,
};

const amounts = (max: number): fc.Arbitrary<Resources> =>
  fc
    .tuple(fc.nat(2), fc.nat(max), fc.nat(max), fc.nat(max), fc.nat(max))
    .map(([bodies, memory, cpu, disk, wall]) => ({
      liveBodies: bodies,
      memoryBytes: memory,
      cpuMillis: cpu,
      diskBytes: disk,
      wallMillis: wall,
    }));

const run = fc.constantFrom("r1", "r2", "r3");
const generation = fc.integer({ min: 1, max: 3 });
const at = fc.integer({ min: 0, max: 100 });
const halt = fc.record({
  halted: fc.boolean(),
  generation: fc.nat(1),
});
const clear = fc.constant({ halted: false, generation: 0 });
const mostlyClear = fc.oneof({ weight: 5, arbitrary: clear }, { weight: 1, arbitrary: halt });

export const witness = { bootId: "boot", pid: 42, startTicks: 7 };

export const ledgerEvent: fc.Arbitrary<LedgerEvent> = fc.oneof(
  fc.record({
    type: fc.constant("propose" as const),
    run,
    key: fc.constantFrom("k1", "k2", "k3"),
    request: fc.constantFrom("a", "b"),
    title: fc.constant("true"),
    evidence: fc.constant("/evidence"),
    owner: fc.constant(witness),
    holder: fc.constantFrom("h1", "h2"),
    until: fc.integer({ min: 50, max: 150 }),
    at,
  }),
  fc.record({
    type: fc.constant("reserve" as const),
    run,
    generation,
    resources: amounts(5),
    ceiling: fc.constant(CEILING),
    halt: mostlyClear,
    at,
  }),
  fc.record({
    type: fc.constant("intent" as const),
    run,
    generation,
    intent: fc.constantFrom("i1", "i2"),
    halt: mostlyClear,
    at,
  }),
  fc.record({
    type: fc.constant("settle" as const),
    run,
    generation,
    used: amounts(3),
    at,
  }),
  fc.record({ type: fc.constant("hold" as const), run, generation, reason: fc.constant("X"), at }),
  fc.record({ type: fc.constant("release" as const), run, generation, at }),
  fc.record({
    type: fc.constant("conclude" as const),
    run,
    generation,
    outcome: fc.constantFrom(
      { kind: "verdict" as const, verdict: "PASS" as const },
      { kind: "verdict" as const, verdict: "FAIL" as const },
      { kind: "refused" as const, code: "NO" },
    ),
    at,
  }),
  fc.record({ type: fc.constant("renew" as const), run, generation, until: at, at }),
  fc.record({
    type: fc.constant("lease" as const),
    run,
    holder: fc.constantFrom("h1", "h2"),
    owner: fc.constant(witness),
    until: fc.integer({ min: 50, max: 150 }),
    at,
  }),
  fc.record({
    type: fc.constant("abandon" as const),
    run,
    reason: fc.constant("OWNER_GONE"),
    bodyGone: fc.boolean(),
    at,
  }),
);

export const ledgerEvents = fc.array(ledgerEvent, { minLength: 1, maxLength: 60 });

/** One body with these amounts. */
export const oneBody: Resources = eachResource((name) => (name === "liveBodies" ? 1 : 3));
