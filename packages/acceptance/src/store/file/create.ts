import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type Database from "better-sqlite3";
import { storeFault } from "../fault.js";
import { sqlite } from "../library.js";

/**
 * Makes sure that there is a database. A new one is finished under another name and then linked
 * into place, so that nobody ever sees half of it. The marker beside it remembers that there was
 * one: locks that vanish with their file are a fault, not a fresh start.
 *
 * @throws DrydockError STORE_MISSING
 */
export const ensureDatabase = (path: string, fill: (database: Database.Database) => void): void => {
  const marker = `${path}.initialised`;
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    if (existsSync(marker)) throw storeFault("STORE_MISSING", "its file is gone");
    const directory = mkdtempSync(join(dirname(path), ".new-"));
    try {
      const draft = join(directory, "store");
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

const syncDirectory = (directory: string): void => {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
