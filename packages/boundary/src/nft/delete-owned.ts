import type { Authority, BoundaryOwner } from "../model/index.js";
import { ownerDigest, printDeletion, tableName } from "../ruleset/index.js";
import type { ChangeableNamespace } from "./host-namespace.js";
import { inside } from "./inside.js";
import { ownedTables } from "./owned.js";

const AUTHORITIES: readonly Authority[] = ["scenario", "platform"];

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
  const names = AUTHORITIES.map((authority) => tableName(owner, authority));
  const owned = await ownedTables(namespace, ownerDigest(owner), names);
  if (owned.length > 0) {
    await inside(namespace, "nft", ["-f", "-"], { input: printDeletion(owned) });
  }
  return owned.map(({ family, name }) => `${family} ${name}`);
};
