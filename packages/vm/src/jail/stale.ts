import { isProcessAlive } from "./process.js";
import type { OwnerRecord } from "./slot.js";

/**
 * Whether nobody is left who cares for a slot: none of its owners lives, or the machine has booted
 * since. The one question before a sweep destroys anything.
 */
export const isStale = (record: Pick<OwnerRecord, "bootId" | "owners">, bootId: string): boolean =>
  record.bootId !== bootId || !record.owners.some(isProcessAlive);
