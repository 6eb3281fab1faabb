import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { Authority, BoundaryOwner } from "../model/index.js";
import {
  type ListedTable,
  type Listing,
  ownerDigest,
  parseAbout,
  tableName,
} from "../ruleset/index.js";

/**
 * The tables of an authority of this owner's, as listed.
 *
 * @throws DrydockError TABLE_FOREIGN for one that has such a name and doesn't say that it is ours
 */
export const ownedTables = (
  listing: Listing,
  owner: string,
  name: string,
): readonly ListedTable[] => {
  const named = listing.tables.filter((table) => table.name === name);
  for (const table of named) {
    const about = table.comment === null ? null : parseAbout(table.comment);
    const isOurs = about !== null && about.owner === owner && FAMILIES.includes(table.family);
    if (!isOurs) refuseForeign(table);
  }
  return named;
};

const FAMILIES: readonly string[] = ["inet", "bridge"];

const AUTHORITIES: readonly Authority[] = ["scenario", "platform"];

/** @throws DrydockError TABLE_FOREIGN */
export const allOwnedTables = (listing: Listing, owner: BoundaryOwner): readonly ListedTable[] =>
  AUTHORITIES.flatMap((authority) =>
    ownedTables(listing, ownerDigest(owner), tableName(owner, authority)),
  );

const refuseForeign = ({ family, name }: ListedTable): never => {
  throw new DrydockError<BoundaryCode>(
    "TABLE_FOREIGN",
    `table ${family} ${name} has a name of this boundary's and isn't its own`,
    { fix: `find out who made it; if nobody needs it: nft delete table ${family} ${name}` },
  );
};
