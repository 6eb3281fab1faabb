import { openParts, type StoreOptions } from "../store/open-parts.js";
import type { ContractStore, FaultHooks } from "../store/port.js";
import { SqliteContractStore } from "../store/sqlite-store.js";

export interface HookedStoreOptions extends StoreOptions {
  readonly hooks: FaultHooks;
}

/** The store as it is opened for use, with somewhere to fail or die at each point of a write. */
export const openContractStoreWithHooks = ({
  hooks,
  ...options
}: HookedStoreOptions): ContractStore => {
  const parts = openParts(options);
  try {
    return new SqliteContractStore({ ...parts, hooks });
  } catch (error) {
    parts.database.close();
    throw error;
  }
};
