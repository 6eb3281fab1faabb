import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import Database from "better-sqlite3";
import { AFTER, confirmationOf, verifier } from "../testing/contracts.js";
import { fill, type Row, replace, rowsOf, TABLES } from "../testing/rows.js";
import { drive, refusalOf, storePlace } from "../testing/stores.js";
import type { ContractStore } from "./index.js";

type Test = { after(fn: () => void): void };

const isNoticed = (code: string): boolean => code === "STORE_INTEGRITY";

describe("an authentic row from an earlier time", () => {
  /** The store with the contract waiting, and then the same store with it under way. */
  const early = (t: Test) => {
    const place = storePlace(t);
    const store = place.open();
    const waiting = drive(store).confirmed("c1");
    const then = join(place.directory, "then");
    copyFileSync(place.file, then);
    store.acquireExecuting(waiting);
    store.close();
    const old = new Database(then, { readonly: true });
    const rows = Object.fromEntries(TABLES.map((table) => [table, rowsOf(old, table)]));
    old.close();
    const putBack = (...tables: readonly (typeof TABLES)[number][]): string => {
      const database = new Database(place.file);
      database.pragma("foreign_keys = OFF");
      for (const table of tables) replace(database, table, rows[table] ?? []);
      database.close();
      return refusalOf(() => place.open());
    };
    return putBack;
  };

  test("a contract, as if it hadn't begun", (t) => {
    assert.ok(isNoticed(early(t)("contracts")));
  });

  test("with its lock", (t) => {
    assert.ok(isNoticed(early(t)("contracts", "target_reservations")));
  });

  test("with its lock and its history", (t) => {
    assert.ok(isNoticed(early(t)("contracts", "target_reservations", "audit_events")));
  });

  test("a contract, as if nobody had confirmed it, though its state is the same", (t) => {
    const place = storePlace(t);
    const store = place.open();
    const contract = drive(store).prepared("c1");
    const rows = (): Row[] => {
      const database = new Database(place.file, { readonly: true });
      const found = rowsOf(database, "contracts");
      database.close();
      return found;
    };
    const before = rows();
    store.confirm(contract, confirmationOf(contract), verifier);
    const after = rows();
    const put = (wanted: Row[]): string => {
      const database = new Database(place.file);
      database.pragma("foreign_keys = OFF");
      replace(database, "contracts", wanted);
      database.close();
      return refusalOf(() => store.load("c1"));
    };
    assert.ok(isNoticed(put(before)));
    assert.equal(put(after), "accepted");
  });

  test("a lock, exchanged for one that was given back", (t) => {
    const place = storePlace(t);
    const store = place.open();
    const to = drive(store);
    const given = to.executing("given", { target: "given" });
    const locks = (): Row[] => {
      const database = new Database(place.file, { readonly: true });
      const found = rowsOf(database, "target_reservations");
      database.close();
      return found;
    };
    const old = locks();
    store.sealVerified(given, { fingerprint: AFTER, locator: 7 });
    to.lost("held", { target: "held" });
    const right = locks();
    const put = (wanted: Row[]): string => {
      const database = new Database(place.file);
      replace(database, "target_reservations", wanted);
      database.close();
      return refusalOf(() => store.load("held"));
    };
    assert.ok(isNoticed(put(old)));
    assert.equal(put(right), "accepted");
  });

  test("all of it is an older store, which only an anchor tells apart", (t) => {
    assert.equal(early(t)(...TABLES), "accepted");
  });
});

describe("a store that is open", () => {
  /** What a store that had read everything before says to somebody else's change. */
  const meanwhile = (t: Test, sql: string, act: (store: ContractStore) => unknown): string => {
    const place = storePlace(t);
    const store = place.open();
    fill(store);
    const database = new Database(place.file);
    database.pragma("foreign_keys = OFF");
    database.exec(sql);
    database.close();
    return refusalOf(() => act(store));
  };

  for (const [name, sql] of [
    ["a lock is removed", "DELETE FROM target_reservations WHERE contract_id = 'a'"],
    [
      "a lock is given to another",
      "UPDATE target_reservations SET contract_id = 'd' WHERE contract_id = 'a'",
    ],
    [
      "a lost contract is called over",
      "UPDATE contracts SET state = 'FAILED' WHERE contract_id = 'a'",
    ],
    ["a waiting contract is removed", "DELETE FROM contracts WHERE contract_id = 'e'"],
    ["a nonce is removed", "DELETE FROM spent_nonces WHERE nonce = 'nonce-of-e'"],
    ["the history is cut", "DELETE FROM audit_events WHERE sequence > 20"],
  ] as const) {
    test(`notices at its next step, before it acts, that ${name}`, (t) => {
      const acquire = (store: ContractStore) => store.acquireExecuting(store.load("e"));
      assert.ok(isNoticed(meanwhile(t, sql, acquire)), name);
    });
  }

  test("acts when nothing was changed", (t) => {
    const acquire = (store: ContractStore) => store.acquireExecuting(store.load("e"));
    assert.equal(meanwhile(t, "SELECT 1", acquire), "accepted");
  });
});
