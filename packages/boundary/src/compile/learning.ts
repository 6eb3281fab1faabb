import type { Chain } from "../model/index.js";
import { type Context, MARK_BIT } from "./context.js";
import * as match from "./match.js";
import { baseChain, DROP, rule } from "./rule.js";
import { macsOf, type Territory } from "./territory.js";

/**
 * Frames to 01:80:c2:00:00:00/28 skip the prerouting hook, and the bridge learns their source on
 * the way to the host (br_handle_frame): whoever sends one with a peer's MAC would get the peer's
 * frames. LLDP's group (0e) passes no hook at all, so a bridge needs no_linklocal_learn as well.
 */
export const learningChain = (context: Context, territory: Territory): Chain => {
  const unchecked = match.unmarked(MARK_BIT[context.authority]);
  return baseChain(context, "input", [
    rule("input/unchecked-port", [match.iifname(...territory.ports), unchecked], DROP),
    context.realisation === "native"
      ? rule("input/unchecked-bridge", [match.ibrname(...territory.bridges), unchecked], DROP)
      : rule("input/unchecked-mac", [unchecked, match.etherSource(...macsOf(territory))], DROP),
  ]);
};
