import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { partsOf, removePlace } from "./place.js";
import { isAbandoned } from "./place-name.js";

/** What a supervisor that was killed left of its rehearsal. */
export interface Abandoned {
  /** Where that was. */
  readonly path: string;
  /** Stores whose keys are gone with it: nobody can open them. */
  readonly stores: number;
  /**
   * Whether what the stand-in keeps was there, accounts and all: one that was begun with it would
   * know the lab's key and the supervisor's password again.
   */
  readonly accounts: boolean;
  /** False when something of it is still there. */
  readonly removed: boolean;
}

/**
 * Removes from a rehearsals' directory what supervisors left that ended without their exit, by
 * SIGKILL or with the machine. Nothing of it is opened: whoever had the keys of its stores is gone,
 * and so is the appliance that they were about. What belongs to a process that lives stays.
 *
 * @returns what was there; nothing where each ended by itself
 */
export const clearAbandoned = (directory: string): readonly Abandoned[] =>
  foldersIn(directory)
    .filter(isAbandoned)
    .map((place) => clear(join(directory, place)));

const clear = (path: string): Abandoned => {
  const { standIn, scenarios } = partsOf(path);
  const stores = foldersIn(scenarios).filter((scenario) =>
    existsSync(join(scenarios, scenario, "store", "contracts.sqlite")),
  ).length;
  const accounts = existsSync(standIn) && readdirSync(standIn).length > 0;
  return { path, stores, accounts, removed: isRemoved(path) };
};

const isRemoved = (path: string): boolean => {
  try {
    return removePlace(path);
  } catch {
    // Whatever the reason: it is named as what is still there, and the next one tries again.
    return false;
  }
};

/** Folders alone: a link isn't followed. */
const foldersIn = (directory: string): readonly string[] =>
  !existsSync(directory)
    ? []
    : readdirSync(directory, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort();
