import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { compilePlatform, compileScenario } from "../compile/index.js";
import { platformMeaning, scenarioMeaning } from "../meaning/index.js";
import type { Packet, Realisation, Ruleset } from "../model/index.js";
import { anyBoundPlatform, anyBoundScenario } from "../testing/arbitraries.js";
import { rememberedClasses } from "./classes.js";
import { explore } from "./explore.js";
import { programOf } from "./kernel/program.js";
import { type Constants, platformConstants, scenarioConstants } from "./meaning-constants.js";
import { anyPacketOf, worldOf } from "./testing/every-packet.js";
import { MUTATIONS, mutate } from "./testing/mutate.js";
import { naiveVerdict } from "./testing/naive-kernel.js";

interface Words {
  readonly word: string;
  readonly verdict: string;
}

/** The words of each cell that one packet's way has. */
const wordsOnWayOf = (
  packet: Packet,
  meaning: (packet: Packet) => { readonly action: string },
  constants: Constants,
  ruleset: Ruleset,
): ReadonlySet<string> => {
  const { path, inPort, inBridge, inInterface, outPort, outBridge, outInterface } = packet;
  const way = { path, inPort, inBridge, inInterface, outPort, outBridge, outInterface };
  const words = new Set<string>();
  const subject = {
    meaning,
    constants,
    program: programOf(ruleset),
    classesOf: rememberedClasses(),
  };
  explore(subject, way, ({ word, verdict }) => words.add(keyOf({ word: word.action, verdict })));
  return words;
};

const keyOf = ({ word, verdict }: Words): string => `${word} ${verdict}`;

test("property: no packet is treated as no cell on its way is", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyBoundScenario.map((scenario) => ({
          boundary: { scenario, platform: null },
          meaning: scenarioMeaning(scenario),
          constants: scenarioConstants(scenario),
          compile: (realisation: Realisation) =>
            compileScenario(scenario, { owner: "test", realisation }),
        })),
        anyBoundPlatform.map((platform) => ({
          boundary: { scenario: null, platform },
          meaning: platformMeaning(platform),
          constants: platformConstants(platform),
          compile: (realisation: Realisation) =>
            compilePlatform(platform, { owner: "test", realisation }),
        })),
      ),
      fc.constantFrom<Realisation>("native", "br_netfilter"),
      fc.constantFrom(...MUTATIONS),
      fc.nat(200),
      fc.nat(7),
      fc.gen(),
      ({ boundary, meaning, constants, compile }, realisation, mutation, at, within, gen) => {
        const compiled = compile(realisation);
        const ruleset = mutate(compiled, mutation, at, within) ?? compiled;
        const packets = anyPacketOf(worldOf(boundary, [22, 53, 80, 443]));
        for (let left = PACKETS; left > 0; left--) {
          const packet = gen(() => packets);
          const words = { word: meaning(packet).action, verdict: naiveVerdict(ruleset, packet) };
          const onWay = wordsOnWayOf(packet, meaning, constants, ruleset);
          assert.ok(onWay.has(keyOf(words)), JSON.stringify({ words, packet }));
        }
      },
    ),
    { numRuns: Math.ceil(profile.fuzz / 4), seed: profile.seed },
  );
});

/** Of each boundary. */
const PACKETS = 20;
