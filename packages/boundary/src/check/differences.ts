import { type Opinion, platformMeaning, scenarioMeaning } from "../meaning/index.js";
import type {
  Authority,
  BoundAttachment,
  BoundNetwork,
  BoundPlatform,
  BoundScenario,
  Packet,
  Ruleset,
} from "../model/index.js";
import { agrees } from "./agreement.js";
import { rememberedClasses } from "./classes.js";
import { explore, type Subject } from "./explore.js";
import type { Verdict } from "./kernel/narrow.js";
import { programOf } from "./kernel/program.js";
import { platformConstants, scenarioConstants } from "./meaning-constants.js";
import { surroundingsOf, waysThrough } from "./way.js";

/** A packet that a ruleset treats otherwise than its authority means. */
export interface PacketDifference {
  readonly code: "BOUNDARY_DIFFERENCE";
  readonly authority: Authority;
  readonly packet: Packet;
  readonly expected: Opinion;
  readonly ruleset: Verdict;
}

/** One authority's side of a check. */
export interface Claim {
  readonly authority: Authority;
  readonly networks: readonly BoundNetwork[];
  /** With the ports that are known, whether or not anything is bound to them. */
  readonly attachments: readonly BoundAttachment[];
  readonly meaning: Subject<Opinion>["meaning"];
  readonly constants: Subject<Opinion>["constants"];
}

export const scenarioClaim = (bound: BoundScenario, meant: BoundScenario): Claim => ({
  authority: "scenario",
  networks: bound.networks,
  attachments: bound.attachments,
  meaning: scenarioMeaning(meant),
  constants: scenarioConstants(meant),
});

export const platformClaim = (bound: BoundPlatform, meant: BoundPlatform): Claim => ({
  authority: "platform",
  networks: Object.values(bound.networks),
  attachments: bound.attachments,
  meaning: platformMeaning(meant),
  constants: platformConstants(meant),
});

/** Compares one ruleset with what its authority means, for every packet that there can be. */
export const differencesOf = (
  { authority, networks, attachments, meaning, constants }: Claim,
  ruleset: Ruleset,
  foreignBridges: readonly string[],
  limit: number,
): {
  readonly differences: readonly PacketDifference[];
  readonly found: number;
  readonly cells: number;
} => {
  const subject = {
    meaning,
    constants,
    program: programOf(ruleset),
    classesOf: rememberedClasses(),
  };
  const differences: PacketDifference[] = [];
  let found = 0;
  let cells = 0;
  for (const way of waysThrough(surroundingsOf(networks, attachments, foreignBridges, [ruleset]))) {
    cells += explore(subject, way, ({ word, verdict, packet }) => {
      if (agrees(word, verdict)) return;
      found += 1;
      if (differences.length >= limit) return;
      differences.push({
        code: "BOUNDARY_DIFFERENCE",
        authority,
        packet: packet(),
        expected: word,
        ruleset: verdict,
      });
    });
  }
  return { differences, found, cells };
};
