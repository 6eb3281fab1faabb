import type { Chain } from "../model/index.js";
import * as match from "./match.js";
import { chainName, identityOf } from "./names.js";
import { ACCEPT, DROP, regularChain, rule } from "./rule.js";
import type { Attached } from "./territory.js";

/**
 * Only what is addressed to a port's own address leaves by it, whichever way it came: not what a
 * bridge floods because it doesn't know the MAC, not a broadcast, not a packet for a peer under
 * this one's MAC, and nothing that is tagged with a VLAN, IPv6, or yet another protocol.
 */
export const deliveryChain = ({ holder, network, ipv4 }: Attached): Chain => {
  const mine = (part: string) => identityOf("delivery", holder, network, part);
  return regularChain(chainName("to", holder, network), [
    rule(mine("ipv4"), [match.ipDestination(match.host(ipv4))], ACCEPT),
    rule(mine("arp"), [match.etherType("arp")], ACCEPT),
    rule(mine("anything-else"), [], DROP),
  ]);
};
