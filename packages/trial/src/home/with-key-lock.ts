import { acquireLock } from "@drydock/vm";
import type { StateLayout } from "./layout.js";

/** Making keys takes milliseconds; a lock that is held longer belongs to a stuck process. */
const KEYS_PATIENCE_MS = 10_000;

/**
 * Makes or changes keys as the only one who does: key and trust file are read and written whole, so
 * of two processes at once one would sign with a key that nobody lists.
 *
 * @throws DrydockError STORE_LOCKED
 */
export const withKeyLock = async <T>(layout: StateLayout, change: () => T): Promise<T> => {
  const lock = await acquireLock(layout.keys, "keys", { patienceMs: KEYS_PATIENCE_MS });
  try {
    return change();
  } finally {
    lock.release();
  }
};
