import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type Database from "better-sqlite3";
import { storeFault } from "../fault.js";
import { sqlite } from "../library.js";

/** Beside the database; of one that is begun by several processes, each has a draft. */
const DRAFTS = ".new-";
const DRAFT = "store";

/**
 * Makes sure that there is a database. A new one is finished under another name and then linked
 * into place, so that nobody ever sees half of it. The marker beside it remembers that there was
 * one: locks that vanish with their file are a fault, not a fresh start.
 *
 * @throws DrydockError STORE_MISSING
 */
export const ensureDatabase = (path: string, fill: (database: Database.Database) => void): void => {
  const marker = `${path}.initialised`;
  // Asked first: the marker comes after the file, so another process's can't come in between.
  const remembered = existsSync(marker);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    if (remembered) throw storeFault("STORE_MISSING", "its file is gone");
    const directory = mkdtempSync(join(dirname(path), DRAFTS));
    try {
      const draft = join(directory, DRAFT);
      // SQLite gives its journal the mode of the main file.
      closeSync(openSync(draft, "wx", 0o600));
      const database = new (sqlite())(draft);
      try {
        database.pragma("synchronous = FULL");
        database.transaction(() => fill(database))();
      } finally {
        database.close();
      }
      linkUnlessThere(draft, path);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    syncDirectory(dirname(path));
  }
  removeDraftOf(path);
  if (!existsSync(marker)) {
    closeSync(openSync(marker, "a", 0o600));
    syncDirectory(dirname(path));
  }
};

const linkUnlessThere = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    // Another process was first; its store is as good as ours.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

/**
 * A database has its draft's name as well until its maker has removed that, or for good when the
 * maker was killed. Whoever comes meanwhile removes it; any other second name is refused later.
 */
const removeDraftOf = (path: string): void => {
  const database = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (database === undefined || database.nlink === 1n) return;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(DRAFTS)) continue;
    const draft = join(dirname(path), name, DRAFT);
    const found = lstatSync(draft, { bigint: true, throwIfNoEntry: false });
    if (found?.dev === database.dev && found.ino === database.ino) rmSync(draft, { force: true });
  }
};

const syncDirectory = (directory: string): void => {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
