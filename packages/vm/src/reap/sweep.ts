import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { identifyProcess, readBootId } from "../jail/process.js";
import { listSlots, RUNTIME_DIRECTORY, readOwner, slotAt } from "../jail/slot.js";
import { isStale } from "../jail/stale.js";
import { destroySlot, GONE_PREFIX, type Leftover } from "./destroy.js";

export interface SweptSlot {
  readonly slot: number;
  readonly run: string;
  readonly leftovers: readonly Leftover[];
}

/**
 * Destroys the slots whose owners (launcher and reaper) are all dead, or which are of an earlier
 * boot. A slot with a live owner is never touched.
 */
export const sweepStale = async (
  runtimeDirectory: string = RUNTIME_DIRECTORY,
): Promise<readonly SweptSlot[]> => {
  const bootId = readBootId();
  removeHalfMade(join(runtimeDirectory, "slots"));
  const swept: SweptSlot[] = [];
  for (const number of listSlots(runtimeDirectory)) {
    const record = readOwner(slotAt(number, "", runtimeDirectory));
    if (record === undefined || !isStale(record, bootId)) continue;
    const leftovers = await destroySlot(slotAt(number, record.run, runtimeDirectory));
    swept.push({ slot: number, run: record.run, leftovers });
  }
  return swept;
};

/** Directories of launchers that died before their slot was in place, and of broken removals. */
const removeHalfMade = (slots: string): void => {
  for (const name of listDirectory(slots)) {
    const [, pid] = /^\.new-(\d+)-/.exec(name) ?? [];
    const orphan = pid !== undefined && identifyProcess(Number(pid)) === undefined;
    if (orphan || name.startsWith(GONE_PREFIX)) {
      rmSync(join(slots, name), { recursive: true, force: true });
    }
  }
};

const listDirectory = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
};
