import { openParts, type StoreOptions } from "./open-parts.js";
import type { ContractStore } from "./port.js";
import { SqliteContractStore } from "./sqlite-store.js";

/**
 * Opens the contract store of a directory, or begins one, and reads every row of it. Nothing can be
 * hooked into it.
 *
 * @throws DrydockError STORE_…
 */
export const openContractStore = (options: StoreOptions): ContractStore => {
  const parts = openParts(options);
  try {
    return new SqliteContractStore({ ...parts, hooks: {} });
  } catch (error) {
    parts.database.close();
    throw error;
  }
};
