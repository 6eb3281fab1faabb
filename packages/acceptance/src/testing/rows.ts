import type Database from "better-sqlite3";
import type { ContractStore } from "../store/index.js";
import { AFTER, CAUSE } from "./contracts.js";
import { drive } from "./stores.js";

export const TABLES = [
  "metadata",
  "contracts",
  "target_reservations",
  "audit_events",
  "rate_cooldowns",
  "spent_nonces",
] as const;

export type Value = string | number;
export type Row = Record<string, Value>;

/** Rows in every table: two targets held, two left alone, one contract waiting. */
export const fill = (store: ContractStore): void => {
  const to = drive(store);
  to.lost("a", { target: "a" });
  to.lostRollback("b", { target: "b" });
  store.fail(to.prepared("c", { target: "c" }), CAUSE);
  const d = to.executing("d", { target: "d" });
  store.sealVerified(d, { fingerprint: AFTER, locator: 7 });
  to.confirmed("e", { target: "e" });
};

export const rowsOf = (database: Database.Database, table: string): Row[] =>
  database.prepare<[], Row>(`SELECT * FROM ${table}`).all();

/** Puts rows in the place of a table's own, as they are given. */
export const replace = (database: Database.Database, table: string, rows: readonly Row[]): void => {
  database.exec(`DELETE FROM ${table}`);
  for (const row of rows) {
    const columns = Object.keys(row);
    database
      .prepare(`INSERT INTO ${table} VALUES (${columns.map((name) => `@${name}`).join(", ")})`)
      .run(row);
  }
};
