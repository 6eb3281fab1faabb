import type Database from "better-sqlite3";
import { ledgerFault } from "./fault.js";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.js";

/**
 * Compares the file with what this version writes, statement by statement: a file that is half
 * migrated, from another version or not a ledger at all keeps admission shut.
 *
 * @throws DrydockError LEDGER_SCHEMA
 */
export const probeSchema = (database: Database.Database, path: string): void => {
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) {
      throw ledgerFault("LEDGER_SCHEMA", path, `${what} is ${String(found)}, expected ${wanted}`);
    }
  };
  expect("application id", database.pragma("application_id", { simple: true }), APPLICATION_ID);
  expect("schema version", database.pragma("user_version", { simple: true }), SCHEMA_VERSION);
  expect("journal mode", database.pragma("journal_mode", { simple: true }), "wal");

  const found = database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .pluck()
    .all();
  expect("number of schema statements", found.length, SCHEMA.length);
  const other = SCHEMA.findIndex((statement, index) => statement !== found[index]);
  expect("first differing schema statement", other, -1);
};
