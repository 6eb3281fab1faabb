import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { storeFault } from "./fault.js";
import { requireOwnFile } from "./file/own-file.js";
import { sqlite } from "./library.js";

interface Workplace {
  readonly lock: Database.Database;
  stores: number;
}

/** By directory. Locks of the kernel's belong to processes, and so does a workplace. */
const workplaces = new Map<string, Workplace>();

/**
 * Takes the one place from which contracts of a directory are worked on; the kernel gives it back
 * when the process is gone, however it went. Whoever has it knows that what is under way without
 * him is nobody's any more. Without it a second process could declare the first one's change lost,
 * have somebody look at the appliance, and start another before the first one's request left.
 *
 * @returns what gives it back.
 * @throws DrydockError STORE_OCCUPIED, STORE_FILE
 */
export const takeWorkplace = (directory: string): (() => void) => {
  const workplace = workplaces.get(directory) ?? { lock: lockOf(directory), stores: 0 };
  workplaces.set(directory, workplace);
  workplace.stores += 1;
  return () => {
    workplace.stores -= 1;
    if (workplace.stores > 0) return;
    workplaces.delete(directory);
    workplace.lock.close();
  };
};

const lockOf = (directory: string): Database.Database => {
  const path = join(directory, "workplace.lock");
  makeUnlessThere(path);
  requireOwnFile(path);
  const lock = new (sqlite())(path, { timeout: 0 });
  try {
    // Nothing is ever written: only the lock that SQLite takes on the file is wanted.
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    throw isBusy(error)
      ? storeFault("STORE_OCCUPIED", "another process is at work with it", error)
      : error;
  }
};

/** One that is there isn't opened: to close it would give its lock back; see `requireOwnFile`. */
const makeUnlessThere = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw storeFault("STORE_FILE", "its lock can't be made", error);
  }
};

const isBusy = (error: unknown): boolean =>
  error instanceof sqlite().SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
