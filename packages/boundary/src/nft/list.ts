import { type Listing, MAX_LISTING_BYTES, parseNftJson } from "../ruleset/index.js";
import { inside } from "./inside.js";
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
