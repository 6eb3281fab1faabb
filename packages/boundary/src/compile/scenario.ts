import type { BoundScenario, Chain, Rule, Ruleset } from "../model/index.js";
import { sealRuleset } from "../ruleset/index.js";
import { bridgeTable } from "./bridge-table.js";
import { type CompileOptions, type Context, MARK_BIT } from "./context.js";
import { BRIDGE, type Direction, INET } from "./direction.js";
import * as match from "./match.js";
import { identityOf } from "./names.js";
import { dispatch, type OwnerSide, ownerChain, ownerSides, spokenFor } from "./owners.js";
import { baseChain, DROP, jump, regularChain, rule } from "./rule.js";
import { stateful } from "./state.js";
import { addressesOn, type Territory, territoryOf } from "./territory.js";

/**
 * The scenario's tables: every frame is its port's own, nothing enters or leaves the scenario's
 * networks, and between its attachments passes what no owner denies.
 *
 * @throws DrydockError RULESET_INVALID for a bound scenario that can't be written as rules
 */
export const compileScenario = (
  scenario: BoundScenario,
  { owner, realisation }: CompileOptions,
): Ruleset => {
  const context: Context = { owner, realisation, authority: "scenario" };
  const territory = territoryOf(scenario.networks, scenario.attachments);
  const sides = ownerSides(scenario);
  const judgedBy = (direction: Direction) => ({
    rules: judged(sides, territory, scenario, direction),
    chains: sides.map((side) => ownerChain(side, scenario, direction)),
  });
  const inet = judgedBy(INET);
  const native = realisation === "native" ? judgedBy(BRIDGE) : { rules: [], chains: [] };
  return sealRuleset({
    ...context,
    inet: [
      ...inetForward(context, territory, inet.rules),
      baseChain(context, "input", [
        rule("input/to-host", [match.iifname(...territory.bridges)], DROP),
      ]),
      baseChain(context, "output", [
        rule("output/from-host", [match.oifname(...territory.bridges)], DROP),
      ]),
      ...inet.chains,
    ],
    bridge: [
      ...bridgeTable(context, territory, { closed: [], judged: native.rules }),
      ...native.chains,
    ],
  });
};

/** What the scenario's bridges bring has a chain that always has a verdict, and the rest is not ours. */
const inetForward = (
  context: Context,
  { bridges }: Territory,
  judgedRules: readonly (readonly Rule[])[],
): readonly Chain[] => [
  baseChain(context, "forward", [
    rule("forward/ours", [match.iifname(...bridges)], jump(WITHIN)),
    rule("forward/inwards", [match.oifname(...bridges)], DROP),
  ]),
  regularChain(WITHIN, [
    rule("forward/unchecked", [match.unmarked(MARK_BIT[context.authority])], DROP),
    rule("forward/outwards", [match.notOifname(...bridges)], DROP),
    rule("forward/ipv6", [match.nfproto("ipv6")], DROP),
    ...judgedRules,
  ]),
];

const WITHIN = "within";

/** A checked packet from one of the scenario's bridges to one of them. */
const judged = (
  sides: readonly OwnerSide[],
  territory: Territory,
  scenario: BoundScenario,
  direction: Direction,
): readonly (readonly Rule[])[] => [
  ...territory.networks.map(({ address, bridge }) =>
    rule(
      identityOf("forward/no-attachment", address),
      [
        direction.leavesBy(bridge),
        match.notIpDestination(...addressesOn(territory, bridge).map(match.host)),
      ],
      DROP,
    ),
  ),
  ...stateful(),
  ...dispatch(sides, territory, direction),
  ...spokenFor(sides, territory, scenario, direction),
];
