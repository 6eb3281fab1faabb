import type Database from "better-sqlite3";
import { storeFault } from "../fault.js";

/** What a database of this version is, statement by statement. */
export interface DatabaseShape {
  readonly applicationId: number;
  readonly version: number;
  readonly statements: readonly string[];
}

export const writeShape = (database: Database.Database, shape: DatabaseShape): void => {
  for (const statement of shape.statements) database.exec(statement);
  database.pragma(`application_id = ${shape.applicationId}`);
  database.pragma(`user_version = ${shape.version}`);
};

/**
 * Compares a file with what this version writes: tables, their columns with types and keys, and
 * nothing beside them, neither a trigger nor a view. Another version fails closed.
 *
 * @throws DrydockError STORE_SCHEMA
 */
export const requireShape = (database: Database.Database, shape: DatabaseShape): void => {
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) throw storeFault("STORE_SCHEMA", `its ${what} isn't this version's`);
  };
  expect(
    "application id",
    database.pragma("application_id", { simple: true }),
    shape.applicationId,
  );
  expect("version", database.pragma("user_version", { simple: true }), shape.version);
  expect("journal mode", database.pragma("journal_mode", { simple: true }), "delete");
  const found = database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .pluck()
    .all();
  expect("number of tables", found.length, shape.statements.length);
  expect(
    "tables",
    shape.statements.findIndex((statement, index) => statement !== found[index]),
    -1,
  );
};
