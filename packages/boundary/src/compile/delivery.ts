import type { Chain, Rule } from "../model/index.js";
import { type Context, MARK_BIT } from "./context.js";
import * as match from "./match.js";
import { chainName, identityOf } from "./names.js";
import { ACCEPT, baseChain, DROP, jump, RETURN, regularChain, rule } from "./rule.js";
import type { Attached, Territory } from "./territory.js";

/**
 * Only what is addressed to a port's own address leaves by it, whichever way it came: not what a
 * bridge floods because it doesn't know the MAC, not a broadcast, not a packet for a peer under
 * this one's MAC, and nothing that is tagged with a VLAN, IPv6, or yet another protocol.
 */
export const deliveryChain = (attached: Attached): Chain => {
  const mine = (...parts: readonly string[]) => identityOf(...deliveryOf(attached), ...parts);
  return regularChain(chainOf(attached), [
    rule(mine("ipv4"), [match.ipDestination(match.host(attached.ipv4))], RETURN),
    rule(mine("arp"), [match.etherType("arp")], RETURN),
    rule(mine("anything-else"), [], DROP),
  ]);
};

export const postrouting = (
  context: Context,
  territory: Territory,
  ports: readonly string[],
): Chain => {
  const elsewhere = match.notOifname(...territory.ports);
  return baseChain(context, "postrouting", [
    rule("postrouting/known-ports", [match.oifname(...ports)], DROP),
    ...territory.attachments.map((attached) =>
      rule(
        identityOf(...deliveryOf(attached)),
        [match.oifname(attached.port)],
        jump(chainOf(attached)),
      ),
    ),
    context.realisation === "native"
      ? rule("postrouting/unbound-port", [match.obrname(...territory.bridges), elsewhere], DROP)
      : rule(
          "postrouting/unbound-port",
          [match.ipDestination(...territory.networks.map(({ cidr }) => cidr)), elsewhere],
          DROP,
        ),
  ]);
};

/**
 * Between two ports of a bridge: only between bound ones, and only what was checked. Natively the
 * flows within a bridge are judged here; else the inet family sees them after this.
 *
 * @param judged the rules that say which flows within a bridge pass.
 */
export const bridgeForward = (
  context: Context,
  { bridges, ports }: Territory,
  judged: readonly (readonly Rule[])[],
): Chain => {
  const unchecked = match.unmarked(MARK_BIT[context.authority]);
  if (context.realisation === "br_netfilter") {
    return baseChain(context, "forward", [
      rule("forward/unchecked", [match.oifname(...ports), unchecked], DROP),
      rule("forward/unbound-port", [match.iifname(...ports), match.notOifname(...ports)], DROP),
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

const chainOf = ({ holder, network }: Attached): string => chainName("to", holder, network);

const deliveryOf = ({ holder, network }: Attached): readonly string[] => [
  "delivery",
  holder,
  network,
];
