import type { Match } from "../model/index.js";
import * as match from "./match.js";

/**
 * How a family of nftables says which bridge a packet came by and leaves by: in `inet` the bridge
 * is the interface, in `bridge` the interface is a port and the bridge has matches of its own.
 */
export interface Direction {
  readonly cameBy: (...bridges: readonly string[]) => Match;
  readonly leavesBy: (...bridges: readonly string[]) => Match;
}

export const INET: Direction = { cameBy: match.iifname, leavesBy: match.oifname };
export const BRIDGE: Direction = { cameBy: match.ibrname, leavesBy: match.obrname };
