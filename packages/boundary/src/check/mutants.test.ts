import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { compilePlatform, compileScenario } from "../compile/index.js";
import { type Boundary, platformMeaning, scenarioMeaning } from "../meaning/index.js";
import type { Packet, Realisation, Ruleset } from "../model/index.js";
import { anyBoundPlatform, anyBoundScenario } from "../testing/arbitraries.js";
import { demanded } from "./agreement.js";
import { checkExhaustively } from "./check.js";
import { describePacket } from "./print.js";
import { everyPacket, worldOf } from "./testing/every-packet.js";
import { countRules, MUTATIONS, mutate } from "./testing/mutate.js";
import { naiveVerdict } from "./testing/naive-kernel.js";

interface Mutant {
  readonly boundary: Boundary;
  readonly ruleset: Ruleset;
}

const anyMutant: fc.Arbitrary<Mutant> = fc
  .tuple(
    fc.oneof(
      anyBoundScenario
        .filter(({ networks, attachments }) => networks.length <= 2 && attachments.length <= 3)
        .map((scenario): Boundary => ({ scenario, platform: null })),
      anyBoundPlatform.map((platform): Boundary => ({ scenario: null, platform })),
    ),
    fc.constantFrom<Realisation>("native", "br_netfilter"),
    fc.constantFrom(...MUTATIONS),
    fc.nat(),
    fc.nat({ max: 7 }),
  )
  .map(([boundary, realisation, mutation, at, within]) => {
    const ruleset = compiled(boundary, realisation);
    const mutant = mutate(ruleset, mutation, at % countRules(ruleset), within);
    if (mutant === null) throw new Error("there is no such rule");
    return { boundary, ruleset: mutant };
  });

const compiled = ({ scenario, platform }: Boundary, realisation: Realisation): Ruleset => {
  const options = { owner: "test", realisation };
  if (scenario !== null) return compileScenario(scenario, options);
  if (platform !== null) return compilePlatform(platform, options);
  throw new Error("somebody has to say something");
};

const meaningOf = ({ scenario, platform }: Boundary) => {
  if (scenario !== null) return scenarioMeaning(scenario);
  if (platform !== null) return platformMeaning(platform);
  throw new Error("somebody has to say something");
};

/** The first packet of a small world for which a ruleset does otherwise. */
const bruteForce = ({ boundary, ruleset }: Mutant): Packet | null => {
  const meaning = meaningOf(boundary);
  for (const packet of everyPacket(worldOf(boundary, [22, 53, 80, 443]))) {
    const wanted = demanded(meaning(packet));
    if (wanted !== null && wanted !== naiveVerdict(ruleset, packet)) return packet;
  }
  return null;
};

test("property: a changed rule is found, by a packet that it really treats otherwise", () => {
  let found = 0;
  fc.assert(
    fc.property(anyMutant, (mutant) => {
      const report = checkExhaustively({ ...mutant.boundary, rulesets: [mutant.ruleset] });
      const meaning = meaningOf(mutant.boundary);
      for (const { packet, ruleset } of report.differences) {
        assert.equal(naiveVerdict(mutant.ruleset, packet), ruleset, describePacket(packet));
        assert.notEqual(demanded(meaning(packet)), ruleset, describePacket(packet));
      }
      if (report.differing > 0) found += 1;
    }),
    { numRuns: Math.ceil(profile.fuzz / 2), seed: profile.seed },
  );
  assert.ok(found > profile.fuzz / 8, `only ${found} mutants differ`);
});

test("property: a changed rule that isn't found changes nothing, as every packet shows", () => {
  let survivors = 0;
  fc.assert(
    fc.property(anyMutant, (mutant) => {
      const report = checkExhaustively({ ...mutant.boundary, rulesets: [mutant.ruleset] });
      if (report.differing > 0 || survivors >= MOST_SURVIVORS) return;
      survivors += 1;
      const packet = bruteForce(mutant);
      assert.equal(packet && describePacket(packet), null);
    }),
    { numRuns: Math.ceil(profile.fuzz / 4), seed: profile.seed + 1 },
  );
  assert.ok(survivors > 0, "no mutant survives, so nothing was compared");
});

/** Each takes up to a few seconds. */
const MOST_SURVIVORS = Math.ceil(profile.fuzz / 100);
