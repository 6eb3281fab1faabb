// What the ledger costs on a run's way: open, propose, reserve. Beside it, the raw limit: as many
// durable commits of an empty SQLite transaction.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openSqliteLedger } from "../packages/ledger/dist/index.js";

const ROUNDS = 25;
const directory = mkdtempSync(join(tmpdir(), "drydock-bench-ledger-"));
const body = { liveBodies: 1, memoryBytes: 1, cpuMillis: 1, diskBytes: 1, wallMillis: 1 };
const ceiling = Object.fromEntries(Object.keys(body).map((name) => [name, 1_000_000]));
const open = () =>
  openSqliteLedger({
    path: join(directory, "ledger"),
    ceiling,
    readHalt: () => ({ halted: false, generation: 0 }),
    clock: () => Date.now(),
  });
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

try {
  open().close();
  const raw = new Database(join(directory, "raw"));
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = FULL");
  raw.exec("CREATE TABLE t (n INTEGER)");
  const insert = raw.prepare("INSERT INTO t VALUES (?)");
  const ledgerTimes = [];
  const rawTimes = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let began = performance.now();
    const ledger = open();
    const { row } = await ledger.propose({
      run: `r${round}`,
      key: `k${round}`,
      request: `sha256:${"0".repeat(64)}`,
      title: "bench",
      evidence: directory,
      owner: { bootId: "00000000-0000-0000-0000-000000000000", pid: 1, startTicks: 1 },
      holder: "bench",
      leaseMillis: 60_000,
    });
    await ledger.reserve({ run: row.run, generation: row.lease.generation }, body);
    ledgerTimes.push(performance.now() - began);
    ledger.close();
    began = performance.now();
    insert.run(round);
    insert.run(round);
    rawTimes.push(performance.now() - began);
  }
  raw.close();
  const [ledgerMs, rawMs] = [median(ledgerTimes), median(rawTimes)];
  console.log(
    JSON.stringify({
      bench: "ledger",
      rounds: ROUNDS,
      openProposeReserveMs: ledgerMs,
      twoDurableCommitsMs: rawMs,
      ratio: ledgerMs / rawMs,
    }),
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
