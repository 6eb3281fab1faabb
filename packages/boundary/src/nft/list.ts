import {
  ABOUT_CHAIN,
  type Listing,
  MAX_LISTING_BYTES,
  parseNftJson,
  parseToldRules,
} from "../ruleset/index.js";
import { inside } from "./inside.js";
import type { NetworkNamespace } from "./namespace.js";

/** One look for both: rules by their expressions, and in JSON, which leaves some of those out. */
export const TELLS_ALL: readonly string[] = ["--debug=netlink", "-j"];

/**
 * Every table of a network namespace, other people's too.
 *
 * @throws DrydockError NFT_MISSING, NFT_OUTPUT, TOOL_…
 */
export const listAll = async (namespace: NetworkNamespace): Promise<Listing> =>
  parseToldRules(
    await inside(namespace, "nft", [...TELLS_ALL, "list", "ruleset"], {
      maxBytes: MAX_LISTING_BYTES,
    }),
  );

/**
 * The tables of these names in any family that have chains, with what they say of themselves and
 * none of their rules. nft lists chains in a tenth of the time that it needs for 5,000 rules, or,
 * since it reads those too, for the names of tables.
 *
 * @throws DrydockError NFT_MISSING, NFT_OUTPUT, TOOL_…
 */
export const listAbout = async (
  namespace: NetworkNamespace,
  names: readonly string[],
): Promise<Listing> => {
  const chains = await inside(namespace, "nft", ["-j", "list", "chains"], {
    maxBytes: MAX_LISTING_BYTES,
  });
  // One that has no such chain says nothing of itself, and isn't ours.
  const telling = parseNftJson(chains).tables.filter(
    (table) => names.includes(table.name) && table.chains.some(({ name }) => name === ABOUT_CHAIN),
  );
  const abouts = await Promise.all(
    telling.map(({ family, name }) =>
      inside(namespace, "nft", ["-j", "list", "chain", family, name, ABOUT_CHAIN]),
    ),
  );
  return parseNftJson(chains, ...abouts);
};
