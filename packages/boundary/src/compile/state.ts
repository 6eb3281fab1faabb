import type { Rule } from "../model/index.js";
import * as match from "./match.js";
import { ACCEPT, DROP, rule } from "./rule.js";

/**
 * Replies to what was allowed pass, and ICMP errors about it (RFC 1122 3.2.2). `related` is also
 * what a conntrack helper expects because of something that it read in a connection: no author
 * allowed that, so only ICMP passes as related.
 */
export const stateful = (): readonly (readonly Rule[])[] => [
  rule("forward/invalid", [match.ctState("invalid")], DROP),
  rule("forward/established", [match.ctState("established")], ACCEPT),
  rule("forward/related", [match.ctState("related"), match.l4proto("icmp")], ACCEPT),
];
