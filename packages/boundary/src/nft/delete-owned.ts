import type { BoundaryOwner } from "../model/index.js";
import { isFamily, printDeletion } from "../ruleset/index.js";
import type { ChangeableNamespace } from "./host-namespace.js";
import { inside } from "./inside.js";
import { listAll } from "./list.js";
import { allOwnedTables } from "./owned.js";

/**
 * Deletes the tables of an owner's two authorities, all in one transaction, and nothing else.
 *
 * @returns the tables that were there, as `inet drydock_…`
 * @throws DrydockError TABLE_FOREIGN before anything is deleted
 */
export const deleteOwned = async (
  namespace: ChangeableNamespace,
  owner: BoundaryOwner,
): Promise<readonly string[]> => {
  const owned = allOwnedTables(await listAll(namespace), owner).flatMap(({ family, name }) =>
    isFamily(family) ? [{ family, name }] : [],
  );
  if (owned.length > 0) {
    await inside(namespace, "nft", ["-f", "-"], { input: printDeletion(owned) });
  }
  return owned.map(({ family, name }) => `${family} ${name}`);
};
