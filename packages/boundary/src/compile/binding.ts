import type { Chain, Rule } from "../model/index.js";
import { type Context, MARK_BIT } from "./context.js";
import * as match from "./match.js";
import { chainName, identityOf } from "./names.js";
import { baseChain, DROP, jump, regularChain, rule } from "./rule.js";
import type { Attached, Territory } from "./territory.js";

/**
 * A port's frames bear its own MAC and IPv4 address, in ARP's payload too, or they go nowhere: the
 * mark says that one was checked. Matches are positive, because a rule about a field that a
 * truncated frame lacks doesn't match, which a `!=` would take for innocence.
 */
export const bindingChain = (context: Context, attached: Attached): Chain => {
  const { ipv4, mac } = attached;
  const bit = MARK_BIT[context.authority];
  const mine = (...parts: readonly string[]) => identityOf(...bindingOf(attached), ...parts);
  return regularChain(chainOf(attached), [
    rule(mine("marked-before"), [match.marked(bit)], DROP),
    rule(mine("ipv4"), [match.etherSource(mac), match.ipSource(match.host(ipv4))], {
      kind: "set-mark",
      bits: bit,
    }),
    rule(
      mine("arp"),
      [match.etherSource(mac), match.arpSenderEther(mac), match.arpSenderIp(match.host(ipv4))],
      { kind: "set-mark", bits: bit },
    ),
    rule(mine("anything-else"), [match.unmarked(bit)], DROP),
  ]);
};

/** What comes by a bound port is checked; what comes by another may not pass as one that did. */
export const prerouting = (
  context: Context,
  territory: Territory,
  ports: readonly string[],
): Chain =>
  baseChain(context, "prerouting", [
    rule("prerouting/known-ports", [match.iifname(...ports)], DROP),
    ...territory.attachments.map((attached) =>
      rule(
        identityOf(...bindingOf(attached)),
        [match.iifname(attached.port)],
        jump(chainOf(attached)),
      ),
    ),
    strangers(context, territory),
  ]);

/**
 * Frames to 01:80:c2:00:00:00/28 skip the prerouting hook, and the bridge learns their source on
 * the way to the host (br_handle_frame): whoever sends one with a peer's MAC would get the peer's
 * frames.
 */
export const input = (context: Context, territory: Territory): Chain => {
  const unchecked = match.unmarked(MARK_BIT[context.authority]);
  return baseChain(context, "input", [
    rule("input/unchecked-port", [match.iifname(...territory.ports), unchecked], DROP),
    context.realisation === "native"
      ? rule("input/unchecked-bridge", [match.ibrname(...territory.bridges), unchecked], DROP)
      : rule("input/unchecked-mac", [unchecked, match.etherSource(...macsOf(territory))], DROP),
  ]);
};

/**
 * A port that is bound to nothing: of a container that nobody knows, or that was started again.
 * Where a bridge can't be matched, such a port is any that isn't bound; then it is kept from
 * using an address of this authority's, and from there on the inet table knows its bridge.
 */
const strangers = (context: Context, territory: Territory): readonly Rule[] => {
  const unchecked = match.unmarked(MARK_BIT[context.authority]);
  if (context.realisation === "native") {
    return rule("prerouting/stranger", [match.ibrname(...territory.bridges), unchecked], DROP);
  }
  const blocks = territory.networks.map(({ cidr }) => cidr);
  const macs = macsOf(territory);
  return [
    ...rule("prerouting/stranger-mac", [unchecked, match.etherSource(...macs)], DROP),
    ...rule("prerouting/stranger-ipv4", [unchecked, match.ipSource(...blocks)], DROP),
    ...rule("prerouting/stranger-arp-ip", [unchecked, match.arpSenderIp(...blocks)], DROP),
    ...rule("prerouting/stranger-arp-mac", [unchecked, match.arpSenderEther(...macs)], DROP),
  ];
};

const macsOf = ({ attachments }: Territory): readonly string[] => attachments.map(({ mac }) => mac);

const chainOf = ({ holder, network }: Attached): string => chainName("from", holder, network);

const bindingOf = ({ holder, network }: Attached): readonly string[] => [
  "binding",
  holder,
  network,
];
