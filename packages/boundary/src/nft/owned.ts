import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { Table } from "../model/index.js";
import { type About, isFamily, type ListedTable, parseAbout } from "../ruleset/index.js";
import { listAbout } from "./list.js";
import type { NetworkNamespace } from "./namespace.js";

/**
 * An owner's tables of these names, as far as they say of themselves whose they are.
 *
 * @throws DrydockError TABLE_FOREIGN for one that has such a name and doesn't say that it is ours
 */
export const ownedTables = async (
  namespace: NetworkNamespace,
  owner: string,
  names: readonly string[],
): Promise<readonly OwnedTable[]> => {
  const { tables } = await listAbout(namespace, names);
  return tables
    .filter(({ name }) => names.includes(name))
    .map((table) => {
      const { family, name, comment } = table;
      const about = comment === null ? null : parseAbout(comment);
      return isFamily(family) && about?.owner === owner
        ? { family, name, about }
        : refuseForeign(table);
    });
};

export interface OwnedTable extends Pick<Table, "family" | "name"> {
  readonly about: About;
}

export const refuseForeign = ({ family, name }: Pick<ListedTable, "family" | "name">): never => {
  throw new DrydockError<BoundaryCode>(
    "TABLE_FOREIGN",
    `table ${family} ${name} has a name of this boundary's and isn't its own`,
    { fix: `find out who made it; if nobody needs it: nft delete table ${family} ${name}` },
  );
};
