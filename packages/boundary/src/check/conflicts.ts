import { type Boundary, type Opinion, platformMeaning, scenarioMeaning } from "../meaning/index.js";
import { contains, type Packet } from "../model/index.js";
import { rememberedClasses } from "./classes.js";
import { type Cell, explore } from "./explore.js";
import type { Way } from "./kernel/visit.js";
import { type Constants, platformConstants, scenarioConstants } from "./meaning-constants.js";
import { surroundingsOf, waysThrough } from "./way.js";

/** A packet that both authorities claim, and that one allows and the other denies. */
export interface Conflict extends Words {
  readonly code: "BOUNDARY_CONFLICT";
  readonly packet: Packet;
}

interface Words {
  readonly scenario: Opinion;
  readonly platform: Opinion;
}

const isClaimed = ({ action }: Opinion): boolean => action === "allow" || action === "deny";

const together =
  (one: Constants, other: Constants): Constants =>
  (...about) => {
    const [first, second] = [one(...about), other(...about)];
    return {
      names: [...first.names, ...second.names],
      ranges: [...first.ranges, ...second.ranges],
    };
  };

/**
 * Where the authorities contradict each other about a new flow. Neither wins: a platform that opens
 * what a scenario closes, or the reverse, was put together wrongly. Only where both are concerned,
 * and only to addresses that lie on the network that a packet leaves by, since no other is routed
 * there.
 */
export const conflictsBetween = (
  { scenario, platform }: Boundary,
  limit: number,
): { readonly conflicts: readonly Conflict[]; readonly cells: number } => {
  if (scenario === null || platform === null) return { conflicts: [], cells: 0 };
  const zones = Object.values(platform.networks);
  const [scenarioBridges, platformBridges] = [scenario.networks, zones].map(
    (networks) => new Set<string | null>(networks.map(({ bridge }) => bridge)),
  ) as [Set<string | null>, Set<string | null>];
  const touches = (bridges: Set<string | null>, { inBridge, outBridge }: Way): boolean =>
    bridges.has(inBridge) || bridges.has(outBridge);
  const isRouted = ({ outBridge, destination }: Packet): boolean => {
    const out = [...scenario.networks, ...zones].filter(({ bridge }) => bridge === outBridge);
    return out.length === 0 || out.some(({ cidr }) => contains(cidr, destination));
  };

  const [ofScenario, ofPlatform] = [scenarioMeaning(scenario), platformMeaning(platform)];
  const constants = together(scenarioConstants(scenario), platformConstants(platform));
  const ways = waysThrough(
    surroundingsOf(
      [...scenario.networks, ...zones.filter(({ bridge }) => !scenarioBridges.has(bridge))],
      [...scenario.attachments, ...platform.attachments],
      [],
      [],
    ),
  ).filter((way) => touches(scenarioBridges, way) && touches(platformBridges, way));

  const conflicts: Conflict[] = [];
  const subject = {
    meaning: (packet: Packet): Words => ({
      scenario: ofScenario(packet),
      platform: ofPlatform(packet),
    }),
    constants,
    program: () => [],
    classesOf: rememberedClasses(),
  };
  let cells = 0;
  for (const way of ways) {
    const visit = ({ word, packet }: Cell<Words>): void => {
      if (!isClaimed(word.scenario) || !isClaimed(word.platform)) return;
      if (word.scenario.action === word.platform.action || conflicts.length >= limit) return;
      const example = packet();
      if (!isRouted(example)) return;
      conflicts.push({ code: "BOUNDARY_CONFLICT", packet: example, ...word });
    };
    cells += explore(subject, way, visit, { etherType: "ip", state: "new" });
  }
  return { conflicts, cells };
};
