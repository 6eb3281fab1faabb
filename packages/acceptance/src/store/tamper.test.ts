import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import Database from "better-sqlite3";
import { fill, type Row, replace, rowsOf, TABLES, type Value } from "../testing/rows.js";
import { refusalOf, storePlace } from "../testing/stores.js";
import { openContractStore } from "./open.js";

let place: ReturnType<typeof storePlace>;
let sound: string;
const endings: (() => void)[] = [];
before(() => {
  place = storePlace({ after: (fn) => endings.push(fn) });
  const store = place.open();
  fill(store);
  store.close();
  sound = join(place.directory, "sound");
  copyFileSync(place.file, sound);
});
after(() => {
  for (const end of endings) end();
});

/** Opens a copy of the store that somebody with a database tool has been at. */
const afterwards = (tamper: (database: Database.Database) => void): string => {
  copyFileSync(sound, place.file);
  const database = new Database(place.file);
  database.pragma("synchronous = OFF");
  database.pragma("foreign_keys = OFF");
  tamper(database);
  database.close();
  return refusalOf(() => openContractStore(place.options).close());
};

const flipped = (value: Value): Value => {
  // So that no other row has the value already, which SQLite would refuse by itself.
  if (typeof value === "number") return value + 1_000;
  const at = Math.floor(value.length / 2);
  return `${value.slice(0, at)}z${value.slice(at + 1)}`;
};

test("an untouched copy opens", () => {
  assert.equal(
    afterwards(() => {}),
    "accepted",
  );
});

test("so does one whose rows were taken out and put back as they were", () => {
  const code = afterwards((database) => {
    for (const table of TABLES) replace(database, table, rowsOf(database, table));
  });
  assert.equal(code, "accepted");
});

const isNoticed = (code: string): boolean => code === "STORE_INTEGRITY";

for (const table of TABLES) {
  describe(table, () => {
    test("any column of any row, changed", () => {
      const database = new Database(sound, { readonly: true });
      const rows = rowsOf(database, table);
      database.close();
      assert.ok(rows.length > 0);
      // Each row of a small table; of the long history the ends and the middle.
      const chosen = rows.filter(
        (_, index) => rows.length < 8 || index % 9 === 0 || index === rows.length - 1,
      );
      for (const row of chosen) {
        for (const column of Object.keys(row)) {
          if (table === "metadata" && (column === "only" || column === "anchored")) continue;
          const code = afterwards((opened) => {
            replace(
              opened,
              table,
              rows.map((other) =>
                other === row ? { ...row, [column]: flipped(row[column] as Value) } : other,
              ),
            );
          });
          assert.ok(isNoticed(code), `${column}: ${code}`);
        }
      }
    });

    test("any row, removed", () => {
      const database = new Database(sound, { readonly: true });
      const rows = rowsOf(database, table);
      database.close();
      const chosen = rows.filter(
        (_, index) => rows.length < 8 || index % 9 === 0 || index === rows.length - 1,
      );
      for (const row of chosen) {
        const code = afterwards((opened) =>
          replace(
            opened,
            table,
            rows.filter((other) => other !== row),
          ),
        );
        assert.ok(isNoticed(code), code);
      }
    });

    test("all rows, removed", () => {
      assert.ok(isNoticed(afterwards((opened) => replace(opened, table, []))));
    });
  });
}

describe("rows that change places, or come twice", () => {
  test("two events in each other's place", () => {
    const code = afterwards((database) => {
      const rows = rowsOf(database, "audit_events");
      const [first, second] = [rows[3], rows[4]] as [Row, Row];
      rows[3] = { ...second, sequence: first["sequence"] as Value };
      rows[4] = { ...first, sequence: second["sequence"] as Value };
      replace(database, "audit_events", rows);
    });
    assert.ok(isNoticed(code));
  });

  test("two events' records in each other's place", () => {
    const code = afterwards((database) => {
      const rows = rowsOf(database, "audit_events");
      const [first, second] = [rows[3], rows[4]] as [Row, Row];
      rows[3] = { ...first, record: second["record"] as Value, mac: second["mac"] as Value };
      rows[4] = { ...second, record: first["record"] as Value, mac: first["mac"] as Value };
      replace(database, "audit_events", rows);
    });
    assert.ok(isNoticed(code));
  });

  test("the last event once more, as the next", () => {
    const code = afterwards((database) => {
      const rows = rowsOf(database, "audit_events");
      const last = rows.at(-1) as Row;
      const next = {
        sequence: rows.length + 1,
        state_version: (last["state_version"] as number) + 1,
      };
      replace(database, "audit_events", [...rows, { ...last, ...next }]);
    });
    assert.ok(isNoticed(code));
  });

  test("two contracts under each other's id", () => {
    const code = afterwards((database) => {
      const rows = rowsOf(database, "contracts");
      const [first, second] = [rows[0], rows[1]] as [Row, Row];
      rows[0] = { ...second, contract_id: first["contract_id"] as Value };
      rows[1] = { ...first, contract_id: second["contract_id"] as Value };
      replace(database, "contracts", rows);
    });
    assert.ok(isNoticed(code));
  });

  for (const [table, change] of [
    ["contracts", { contract_id: "x", operation_id: "x", idempotency_key: "x" }],
    ["target_reservations", { target_identity_digest: "x", contract_id: "d" }],
    ["rate_cooldowns", { target_identity_digest: "x" }],
    ["spent_nonces", { nonce: "x" }],
  ] as const) {
    test(`a row of ${table} once more under another key`, () => {
      const code = afterwards((database) => {
        const rows = rowsOf(database, table);
        replace(database, table, [...rows, { ...(rows[0] as Row), ...change }]);
      });
      assert.ok(isNoticed(code));
    });
  }

  test("an anchor, invented or forgotten", () => {
    const code = afterwards((database) => database.exec("UPDATE metadata SET anchored = 1"));
    assert.ok(isNoticed(code));
  });

  test("two reservations for each other's contract", () => {
    const code = afterwards((database) => {
      const [first, second] = rowsOf(database, "target_reservations") as [Row, Row];
      replace(database, "target_reservations", [
        { ...first, contract_id: second["contract_id"] as Value },
        { ...second, contract_id: first["contract_id"] as Value },
      ]);
    });
    assert.ok(isNoticed(code));
  });
});

describe("another database", () => {
  for (const [name, sql] of [
    ["a table more", "CREATE TABLE more (a)"],
    ["an index more", "CREATE INDEX more ON contracts (record)"],
    ["a view", "CREATE VIEW more AS SELECT 1"],
    [
      "a trigger",
      "CREATE TRIGGER more AFTER INSERT ON audit_events BEGIN DELETE FROM spent_nonces; END",
    ],
    ["a table less", "DROP TABLE rate_cooldowns"],
    ["a column more", "ALTER TABLE spent_nonces ADD COLUMN more TEXT"],
    ["a column of another name", "ALTER TABLE spent_nonces RENAME COLUMN nonce TO once"],
    ["another version", "PRAGMA user_version = 2"],
    ["another program's id", "PRAGMA application_id = 1"],
    ["another journal", "PRAGMA journal_mode = WAL"],
  ] as const) {
    test(`${name} is another schema`, () => {
      assert.equal(
        afterwards((database) => database.exec(sql)),
        "STORE_SCHEMA",
      );
    });
  }

  test("a column without its uniqueness is another schema", () => {
    const code = afterwards((database) => {
      database.unsafeMode();
      database.pragma("writable_schema = ON");
      database.exec(
        "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (contract_id, state_version)', 'CHECK (state_version > 0)') WHERE name = 'audit_events'",
      );
    });
    assert.ok(code === "STORE_SCHEMA" || isNoticed(code), code);
  });

  test("no database at all", (t) => {
    const { open, file } = storePlace(t);
    open().close();
    writeFileSync(file, "hello");
    assert.match(
      refusalOf(() => open()),
      /^STORE_(INTEGRITY|SCHEMA)$/,
    );
  });
});

test("bytes changed anywhere in the file open as they were or not at all", () => {
  const bytes = readFileSync(sound);
  const { file, options } = place;
  const wanted = (() => {
    copyFileSync(sound, file);
    const store = openContractStore(options);
    const contracts = store.contracts();
    store.close();
    return contracts;
  })();
  let refused = 0;
  const every = Math.max(1, Math.floor(bytes.length / 120));
  for (let at = 0; at < bytes.length; at += every) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x55, at);
    writeFileSync(file, changed);
    const code = refusalOf(() => {
      const store = openContractStore(options);
      try {
        assert.deepEqual(store.contracts(), wanted);
      } finally {
        store.close();
      }
    });
    if (code !== "accepted") {
      refused += 1;
      assert.match(code, /^STORE_/);
    }
  }
  assert.ok(refused > 20, String(refused));
});
