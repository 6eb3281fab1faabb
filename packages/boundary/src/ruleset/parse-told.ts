import { withInnerProtocols } from "./inner-protocol.js";
import type { Listing } from "./listing.js";
import { parseNftJson } from "./parse.js";

/** No line of expressions begins like it: those begin with a family's name or are indented. */
const JSON_BEGINS = '{"nftables"';

/** The last line of what is told. */
export const isToldJson = (line: string): boolean => line.startsWith(JSON_BEGINS);

/**
 * Reads what `nft --debug=netlink -j list ruleset` printed: the expressions of every rule, a line
 * each, and then everything in one line of JSON.
 *
 * @throws DrydockError NFT_OUTPUT
 */
export const parseToldRules = (told: Buffer): Listing => {
  const before = told.indexOf(`\n${JSON_BEGINS}`);
  const json = before + 1;
  return withInnerProtocols(
    parseNftJson(told.subarray(json)),
    told.subarray(0, json).toString("latin1"),
  );
};
