import type { Rule } from "../model/index.js";
import type { Context } from "./context.js";
import * as match from "./match.js";
import { DROP, rule } from "./rule.js";
import { macsOf, type Territory } from "./territory.js";

/**
 * A port that is bound to nothing, since the others' frames have been judged before: of a container
 * that nobody knows, or that was started again.
 * Where a bridge can't be matched, such a port is any that isn't bound; then it is kept from
 * using an address of this authority's, and from there on the inet table knows its bridge.
 */
export const strangers = (context: Context, territory: Territory): readonly Rule[] => {
  if (context.realisation === "native") {
    return rule("prerouting/stranger", [match.ibrname(...territory.bridges)], DROP);
  }
  const blocks = territory.networks.map(({ cidr }) => cidr);
  const macs = macsOf(territory);
  return [
    ...rule("prerouting/stranger-mac", [match.etherSource(...macs)], DROP),
    ...rule("prerouting/stranger-ipv4", [match.ipSource(...blocks)], DROP),
    ...rule("prerouting/stranger-arp-ip", [match.arpSenderIp(...blocks)], DROP),
    ...rule("prerouting/stranger-arp-mac", [match.arpSenderEther(...macs)], DROP),
  ];
};
