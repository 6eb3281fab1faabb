import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { profile, temporaryDirectory } from "@drydock/testkit";
import Database from "better-sqlite3";
import fc from "fast-check";
import type { Ledger, Proposal } from "../port.js";
import type { LedgerEvent } from "../rules/event.js";
import type { HaltReading } from "../rules/halt-gate.js";
import { type LedgerState, step } from "../rules/step.js";
import { CEILING, ledgerEvents, oneBody, witness } from "../testing/arbitrary.js";
import { openSqliteLedger } from "./store.js";

const clear: HaltReading = { halted: false, generation: 0 };

const open = (path: string, now = { at: 1 }, halt = { reading: clear }): Ledger =>
  openSqliteLedger({
    path,
    ceiling: CEILING,
    clock: () => now.at,
    readHalt: () => halt.reading,
  });

const proposal = (name: string): Proposal => ({
  run: `run-${name}`,
  key: `key-${name}`,
  request: "a",
  title: "true",
  evidence: "/evidence",
  owner: witness,
  holder: "h1",
  leaseMillis: 1_000,
});

const code = (expected: string) => (error: unknown) => {
  assert.equal((error as { code?: string }).code, expected, String(error));
  return true;
};

test("a run is proposed, reserved, dispatched, settled and concluded, and another process sees it", async (t) => {
  const path = join(temporaryDirectory(t), "ledger");
  const ledger = open(path);
  const { kind, row } = await ledger.propose(proposal("1"));
  assert.equal(kind, "new");
  const { lease } = row;
  await ledger.reserve(lease, oneBody);
  await ledger.intent(lease, "i1");
  await ledger.settle(lease, oneBody);
  await ledger.conclude(lease, { kind: "verdict", verdict: "PASS" });
  ledger.close();

  const other = open(path);
  const found = await other.run("run-1");
  assert.equal(found?.state, "SETTLED");
  assert.deepEqual(found?.outcome, { kind: "verdict", verdict: "PASS" });
  assert.deepEqual((await other.audit()).findings, []);
  other.close();
});

test("a thousand launches under one key are one run and one reservation", async (t) => {
  const ledger = open(join(temporaryDirectory(t), "ledger"));
  const { row } = await ledger.propose(proposal("1"));
  await ledger.reserve(row.lease, oneBody);
  for (let i = 0; i < 1_000; i += 1) {
    const again = await ledger.propose({ ...proposal("1"), run: `run-other-${i}` });
    assert.equal(again.kind, "existing");
    assert.equal(again.row.run, "run-1");
  }
  const audit = await ledger.audit();
  assert.deepEqual([audit.runs, audit.movements], [1, 2]);
  assert.deepEqual(audit.committed, oneBody);
  ledger.close();
});

/** Says to the store what the event says to the rules. */
const tell = async (ledger: Ledger, event: LedgerEvent): Promise<unknown> => {
  switch (event.type) {
    case "propose": {
      const { type: _, until, at, ...fields } = event;
      return ledger.propose({ ...fields, leaseMillis: until - at });
    }
    case "reserve":
      return ledger.reserve(event, event.resources);
    case "intent":
      return ledger.intent(event, event.intent);
    case "settle":
      return ledger.settle(event, event.used);
    case "hold":
      return ledger.hold(event, event.reason);
    case "release":
      return ledger.release(event);
    case "conclude":
      return ledger.conclude(event, event.outcome);
    case "renew":
      return ledger.renew(event, event.until - event.at);
    case "lease":
      return ledger.lease(event.run, event.holder, event.owner, event.until - event.at);
    case "abandon":
      return ledger.markIncomplete(event.run, event.reason, { gone: event.bodyGone });
  }
};

test("the store does exactly what the rules say", async (t) => {
  const directory = temporaryDirectory(t);
  let database = 0;
  await fc.assert(
    fc.asyncProperty(ledgerEvents, async (events) => {
      database += 1;
      const path = join(directory, String(database));
      const now = { at: 0 };
      const halt = { reading: clear };
      const ledger = open(path, now, halt);
      try {
        let model: LedgerState = new Map();
        for (const event of events) {
          // The store remembers halts, the bare rules don't: keep the reading the same for both.
          const said: LedgerEvent = "halt" in event ? { ...event, halt: clear } : event;
          now.at = said.at;
          const next = step(model, said);
          const outcome = await tell(ledger, said).then(
            () => null,
            (error: { code: string }) => error.code,
          );
          const expected = next.decision.kind === "refused" ? next.decision.code : null;
          const unknownAbandon = said.type === "abandon" && expected === "LEDGER_UNKNOWN_RUN";
          assert.equal(outcome, unknownAbandon ? null : expected);
          model = next.state;
        }
        const rows = new Map((await ledger.runs()).map((row) => [row.run, row]));
        assert.deepEqual(rows, new Map([...model].map(([run, row]) => [run, row])));
        assert.deepEqual((await ledger.audit()).findings, []);
      } finally {
        ledger.close();
      }
    }),
    { numRuns: Math.min(2_000, Math.ceil(profile.fuzz / 5)), seed: profile.seed },
  );
});

test("the halt state is read inside the transaction, and a halt that was seen isn't forgotten", async (t) => {
  const halt = { reading: clear };
  const path = join(temporaryDirectory(t), "ledger");
  const ledger = open(path, { at: 1 }, halt);
  const { row } = await ledger.propose(proposal("1"));
  halt.reading = { halted: true, generation: 1 };
  await assert.rejects(ledger.reserve(row.lease, oneBody), code("LEDGER_HALTED"));
  assert.deepEqual(
    (await ledger.haltBarrier(1)).map((open) => open.run),
    ["run-1"],
  );
  // The record vanished; a ledger that saw generation 1 doesn't take that for "never halted".
  halt.reading = clear;
  await assert.rejects(ledger.reserve(row.lease, oneBody), code("LEDGER_HALTED"));
  halt.reading = { halted: false, generation: 2 };
  assert.equal((await ledger.reserve(row.lease, oneBody)).haltGeneration, 2);
  ledger.close();
});

test("opening twice at once creates one ledger, with private files and nothing left over", async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, "ledger");
  const [a, b] = [open(path), open(path)];
  await a.propose(proposal("1"));
  assert.equal((await b.propose(proposal("1"))).kind, "existing");
  assert.deepEqual(readdirSync(directory).sort(), [
    "ledger",
    "ledger-shm",
    "ledger-wal",
    "ledger.initialised",
  ]);
  for (const name of readdirSync(directory)) {
    assert.equal(statSync(join(directory, name)).mode & 0o077, 0, name);
  }
  a.close();
  b.close();
});

const withOneRun = async (path: string): Promise<void> => {
  const ledger = open(path);
  await ledger.propose(proposal("1"));
  ledger.close();
};

const shut: Readonly<Record<string, { damage: (path: string) => void; code: string }>> = {
  "a ledger that vanished": { damage: (path) => rmSync(path), code: "LEDGER_MISSING" },
  "a file that is no database": {
    damage: (path) =>
      writeFileSync(path, "not a database, but long enough to look like one".repeat(99)),
    code: "LEDGER_CORRUPT",
  },
  "a truncated file": { damage: (path) => truncateSync(path, 100), code: "LEDGER_CORRUPT" },
  "an emptied file": { damage: (path) => truncateSync(path, 0), code: "LEDGER_SCHEMA" },
  "a half-migrated schema": {
    damage: (path) => {
      const database = new Database(path);
      database.exec("ALTER TABLE run ADD COLUMN extra TEXT");
      database.close();
    },
    code: "LEDGER_SCHEMA",
  },
  "a newer version": {
    damage: (path) => {
      const database = new Database(path);
      database.pragma("user_version = 2");
      database.close();
    },
    code: "LEDGER_SCHEMA",
  },
  "somebody else's database": {
    damage: (path) => {
      rmSync(path);
      new Database(path).exec("CREATE TABLE run (run TEXT)").close();
    },
    code: "LEDGER_SCHEMA",
  },
  "a directory in its place": {
    damage: (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    code: "LEDGER_UNWRITABLE",
  },
};

for (const [what, { damage, code: expected }] of Object.entries(shut)) {
  test(`${what} shuts admission, and no second ledger appears`, async (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, "ledger");
    await withOneRun(path);
    open(path).close(); // The control: undamaged, it opens.
    damage(path);
    const before = readdirSync(directory).sort();
    assert.throws(() => open(path), code(expected));
    assert.deepEqual(readdirSync(directory).sort(), before);
  });
}

test("a damaged page is found by the audit, and a damaged row can't be acted on", async (t) => {
  const path = join(temporaryDirectory(t), "ledger");
  await withOneRun(path);
  const bytes = readFileSync(path);
  const at = bytes.indexOf("PROPOSED", bytes.indexOf("run-1"));
  const handle = openSync(path, "r+");
  writeSync(handle, "RELEASED", at);
  closeSync(handle);
  const ledger = open(path);
  assert.notDeepEqual((await ledger.audit()).findings, []);
  ledger.close();
});

test("a lock that isn't given up shuts admission within the time limit", async (t) => {
  const path = join(temporaryDirectory(t), "ledger");
  await withOneRun(path);
  const holder = new Database(path);
  holder.exec("BEGIN IMMEDIATE");
  const ledger = open(path);
  await assert.rejects(ledger.propose(proposal("2")), code("LEDGER_BUSY"));
  holder.exec("ROLLBACK");
  holder.close();
  assert.equal((await ledger.propose(proposal("2"))).kind, "new");
  ledger.close();
});
