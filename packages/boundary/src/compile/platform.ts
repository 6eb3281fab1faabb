import type { BoundPlatform, Chain, Rule, Ruleset } from "../model/index.js";
import { sealRuleset } from "../ruleset/index.js";
import { bridgeTable } from "./bridge-table.js";
import { type CompileOptions, type Context, MARK_BIT } from "./context.js";
import { crossings } from "./crossings.js";
import { BRIDGE, INET } from "./direction.js";
import { egressChain, inwards, masquerade, outwards } from "./egress.js";
import * as match from "./match.js";
import { fromPublications, toPublications } from "./publications.js";
import { baseChain, DROP, rule } from "./rule.js";
import { type Territory, territoryOf } from "./territory.js";

/**
 * The platform's tables: default deny. Its anchors cross where a crossing is signed, the egress
 * anchor reaches the ports of signed authorities, and the host reaches publications.
 *
 * @throws DrydockError RULESET_INVALID for a bound platform that can't be written as rules
 */
export const compilePlatform = (
  platform: BoundPlatform,
  { owner, realisation }: CompileOptions,
): Ruleset => {
  const context: Context = { owner, realisation, authority: "platform" };
  const territory = territoryOf(Object.values(platform.networks), platform.attachments);
  const { egress } = platform;
  const within = [
    rule("forward/invalid", [match.ctState("invalid")], DROP),
    ...crossings(platform, BRIDGE),
    rule("forward/default", [], DROP),
  ];
  return sealRuleset({
    ...context,
    inet: [
      inetForward(context, territory, platform),
      ...host(context, territory, platform),
      ...(egress === null ? [] : [egressChain(egress), masquerade(context, territory, egress)]),
    ],
    bridge: bridgeTable(context, territory, { closed: [], judged: within }),
  });
};

const inetForward = (context: Context, territory: Territory, platform: BoundPlatform): Chain => {
  const { bridges } = territory;
  const unchecked = match.unmarked(MARK_BIT[context.authority]);
  const outside = platform.networks.egress.bridge;
  return baseChain(context, "forward", [
    notOurs(bridges),
    rule("forward/unchecked", [match.iifname(...bridges), unchecked], DROP),
    rule("forward/ipv6", [match.nfproto("ipv6")], DROP),
    rule("forward/invalid", [match.ctState("invalid")], DROP),
    ...inwards(territory, platform.egress, outside),
    ...outwards(territory, platform.egress, outside),
    ...crossings(platform, INET),
    rule("forward/default", [], DROP),
  ]);
};

const notOurs = (bridges: readonly string[]): readonly Rule[] =>
  rule("forward/not-ours", [match.notIifname(...bridges), match.notOifname(...bridges)], {
    kind: "accept",
  });

const host = (
  context: Context,
  { bridges }: Territory,
  platform: BoundPlatform,
): readonly Chain[] => [
  baseChain(context, "input", [
    rule(
      "input/unchecked",
      [match.iifname(...bridges), match.unmarked(MARK_BIT[context.authority])],
      DROP,
    ),
    ...fromPublications(platform),
    rule("input/to-host", [match.iifname(...bridges)], DROP),
  ]),
  // Without a state: at this priority no packet of the host's has been tracked yet, so that every
  // one would be invalid (NF_IP_PRI_CONNTRACK is -200).
  baseChain(context, "output", [
    ...toPublications(platform),
    rule("output/from-host", [match.oifname(...bridges)], DROP),
  ]),
];
