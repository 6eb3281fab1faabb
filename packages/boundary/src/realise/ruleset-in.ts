import type { Authority, BoundaryOwner, Ruleset, Table } from "../model/index.js";
import { type Listing, parseAbout, tableName, tableOf } from "../ruleset/index.js";

/** An authority's ruleset as the kernel holds it; null when it isn't there whole, or isn't all ours. */
export const rulesetIn = (
  { tables }: Listing,
  owner: BoundaryOwner,
  authority: Authority,
): Ruleset | null => {
  const name = tableName(owner, authority);
  const found = (family: string): Table | null => {
    const listed = tables.find((table) => table.family === family && table.name === name);
    return listed === undefined ? null : tableOf(listed);
  };
  const inet = found("inet");
  const bridge = found("bridge");
  const about = parseAbout(inet?.comment ?? "");
  if (inet === null || bridge === null || about === null) return null;
  return { authority, realisation: about.realisation, inet, bridge, digest: about.digest };
};
