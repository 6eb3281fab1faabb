import type { Chain } from "../model/index.js";
import { type Context, MARK_BIT } from "./context.js";
import * as match from "./match.js";
import { chainName, identityOf } from "./names.js";
import { ACCEPT, DROP, regularChain, rule } from "./rule.js";
import type { Attached } from "./territory.js";

/**
 * A port's frames bear its own MAC and IPv4 address, in ARP's payload too, or they go nowhere: the
 * mark says that one was checked. Matches are positive, because a rule about a field that a
 * truncated frame lacks doesn't match, which a `!=` would take for innocence. A verdict in any case:
 * what stands behind the ports' look-up is about strangers.
 */
export const bindingChain = (context: Context, attached: Attached): Chain => {
  const { holder, network, ipv4, mac } = attached;
  const bit = MARK_BIT[context.authority];
  const mine = (part: string) => identityOf("binding", holder, network, part);
  return regularChain(chainName("from", holder, network), [
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
    rule(mine("checked"), [], ACCEPT),
  ]);
};
