import type { JsonObject } from "@drydock/evidence";
import { AdapterError } from "../../adapter/index.js";
import type { ReadClient } from "../../client/index.js";
import { type Alias, parseAlias } from "./alias.js";
import { ROW_LIMIT } from "./bounds.js";
import { rowsOf } from "./envelope.js";
import { findTarget } from "./find-target.js";
import { parseIdentity } from "./intent.js";

/**
 * All aliases in one request, and of them the one. The appliance could filter, but then a second
 * one of a name that it takes for another would go unseen.
 */
export const readTarget = async (client: ReadClient, identity: JsonObject): Promise<Alias> => {
  const { alias_name: name } = parseIdentity(identity);
  const { status, body } = await client.get("/api/v2/firewall/aliases", { limit: ROW_LIMIT });
  if (status !== 200) throw new AdapterError("READ_REFUSED");
  return parseAlias(findTarget(rowsOf(body), name), "TARGET_UNSUPPORTED");
};
