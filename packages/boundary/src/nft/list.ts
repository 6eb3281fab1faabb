import { ABOUT_CHAIN, type Listing, MAX_LISTING_BYTES, parseNftJson } from "../ruleset/index.js";
import { inside, runInside } from "./inside.js";
import type { NetworkNamespace } from "./namespace.js";

/**
 * Every table of a network namespace, other people's too.
 *
 * @throws DrydockError NFT_MISSING, NFT_OUTPUT, TOOL_…
 */
export const listAll = async (namespace: NetworkNamespace): Promise<Listing> =>
  parseNftJson(
    await inside(namespace, "nft", ["-j", "list", "ruleset"], { maxBytes: MAX_LISTING_BYTES }),
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
  const named = parseNftJson(chains).tables.filter(({ name }) => names.includes(name));
  const abouts = await Promise.all(
    named.map(({ family, name }) =>
      runInside(namespace, "nft", ["-j", "list", "chain", family, name, ABOUT_CHAIN]),
    ),
  );
  // One that has no such chain says nothing of itself, and isn't ours.
  return parseNftJson(
    chains,
    ...abouts.filter(({ code }) => code === 0).map(({ stdout }) => stdout),
  );
};
