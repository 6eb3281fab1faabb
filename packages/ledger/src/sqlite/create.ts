import { closeSync, existsSync, fsyncSync, linkSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ledgerFault } from "./fault.js";
import { sqlite } from "./library.js";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, SEED } from "./schema.js";

/**
 * Makes sure there is a ledger file. A new one is finished under another name and then linked
 * into place, so no process ever sees half a schema. The `.initialised` file beside it remembers
 * that there was one: a ledger that vanishes is a fault, not a fresh start.
 *
 * @throws DrydockError LEDGER_MISSING
 */
export const ensureLedgerFile = (path: string): void => {
  const marker = `${path}.initialised`;
  // Asked first: the marker comes after the file, so another process's can't come in between.
  const remembered = existsSync(marker);
  if (existsSync(path)) {
    remember(marker);
    return;
  }
  if (remembered) throw ledgerFault("LEDGER_MISSING", path, "the file is gone");

  const directory = mkdtempSync(join(dirname(path), ".ledger-"));
  try {
    const draft = join(directory, "ledger");
    // SQLite gives its -wal and -shm files the mode of the main file.
    closeSync(openSync(draft, "wx", 0o600));
    writeEmptyLedger(draft);
    linkUnlessThere(draft, path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  syncDirectory(dirname(path));
  remember(marker);
};

const writeEmptyLedger = (path: string): void => {
  const database = new (sqlite())(path);
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.transaction(() => {
      for (const statement of SCHEMA) database.exec(statement);
      database.exec(SEED);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })();
  } finally {
    database.close();
  }
};

const linkUnlessThere = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    // Another process was first; its ledger is as good as ours.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

const remember = (marker: string): void => {
  if (existsSync(marker)) return;
  closeSync(openSync(marker, "a", 0o600));
  syncDirectory(dirname(marker));
};

const syncDirectory = (directory: string): void => {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
