import type { Chain, Dispatch, Rule } from "../model/index.js";
import { bindingChain } from "./binding.js";
import { type Context, MARK_BIT } from "./context.js";
import { deliveryChain } from "./delivery.js";
import { learningChain } from "./learning.js";
import * as match from "./match.js";
import { chainName } from "./names.js";
import { ACCEPT, baseChain, DROP, rule } from "./rule.js";
import { strangers } from "./strangers.js";
import type { Territory } from "./territory.js";

export interface BridgeTable {
  /** Ports whose every frame is dropped: of a floor, where nothing is bound. */
  readonly closed: readonly string[];
  /** What decides about a flow within a bridge; asked where the realisation is native. */
  readonly judged: readonly (readonly Rule[])[];
}

/** Every chain of an authority's table in the bridge family but those that `judged` jumps to. */
export const bridgeTable = (
  context: Context,
  territory: Territory,
  { closed, judged }: BridgeTable,
): readonly Chain[] => [
  prerouting(context, territory, closed),
  learningChain(context, territory),
  forward(context, territory, judged),
  postrouting(context, territory, closed),
  ...territory.attachments.map((attached) => bindingChain(context, attached)),
  ...territory.attachments.map(deliveryChain),
];

/** What comes by a bound port is checked; what comes by another may not pass as one that did. */
const prerouting = (context: Context, territory: Territory, closed: readonly string[]): Chain =>
  baseChain(context, "prerouting", [
    rule("prerouting/closed", [match.iifname(...closed)], DROP),
    rule("prerouting/bound-port", [], byPort("iifname", "from", territory)),
    strangers(context, territory),
  ]);

/** A port's own chain has a verdict for whatever comes to it, so that the rest is about strangers. */
const postrouting = (context: Context, territory: Territory, closed: readonly string[]): Chain =>
  baseChain(context, "postrouting", [
    rule("postrouting/closed", [match.oifname(...closed)], DROP),
    rule("postrouting/bound-port", [], byPort("oifname", "to", territory)),
    rule(
      "postrouting/unbound-port",
      context.realisation === "native"
        ? [match.obrname(...territory.bridges)]
        : [match.ipDestination(...territory.networks.map(({ cidr }) => cidr))],
      DROP,
    ),
  ]);

/** One look-up for each frame, however many ports there are. */
const byPort = (
  by: "iifname" | "oifname",
  role: "from" | "to",
  { attachments }: Territory,
): Dispatch => ({
  kind: "dispatch",
  by,
  to: attachments.map(({ holder, network, port }) => ({
    is: port,
    chain: chainName(role, holder, network),
  })),
});

/**
 * Between two ports of a bridge: only between bound ones, and only what was checked. Natively the
 * flows within a bridge are judged here; else the inet family sees them after this.
 */
const forward = (
  context: Context,
  { bridges, ports }: Territory,
  judged: readonly (readonly Rule[])[],
): Chain => {
  const bit = MARK_BIT[context.authority];
  const unchecked = match.unmarked(bit);
  if (context.realisation === "br_netfilter") {
    return baseChain(context, "forward", [
      rule("forward/unchecked", [match.oifname(...ports), unchecked], DROP),
      rule("forward/unbound-port", [match.marked(bit), match.notOifname(...ports)], DROP),
    ]);
  }
  return baseChain(context, "forward", [
    rule("forward/not-ours", [match.notIbrname(...bridges)], ACCEPT),
    rule("forward/unchecked", [unchecked], DROP),
    rule("forward/unbound-port", [match.notOifname(...ports)], DROP),
    rule("forward/arp", [match.etherType("arp")], ACCEPT),
    rule("forward/not-ipv4", [match.notEtherType("ip")], DROP),
    ...judged,
  ]);
};
