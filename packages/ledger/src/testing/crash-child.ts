import { writeSync } from "node:fs";
import { openSqliteLedger } from "../sqlite/store.js";
import { CEILING, oneBody, witness } from "./arbitrary.js";

/** Works until it is killed; writes one byte after each step that the ledger called durable. */
const [path, name] = process.argv.slice(2);
if (path === undefined || name === undefined) throw new Error("usage: crash-child LEDGER NAME");

const ledger = openSqliteLedger({
  path,
  ceiling: CEILING,
  clock: Date.now,
  readHalt: () => ({ halted: false, generation: 0 }),
});
const acknowledge = (): void => {
  writeSync(1, ".");
};

for (let i = 0; ; i += 1) {
  const { row } = await ledger.propose({
    run: `${name}-${i}`,
    key: `${name}-${i}`,
    request: "a",
    title: "true",
    evidence: "/evidence",
    owner: witness,
    holder: name,
    leaseMillis: 60_000,
  });
  acknowledge();
  await ledger.reserve(row.lease, oneBody);
  acknowledge();
  await ledger.intent(row.lease, "i1");
  acknowledge();
  await ledger.settle(row.lease, oneBody);
  acknowledge();
  await ledger.conclude(row.lease, { kind: "verdict", verdict: "PASS" });
  acknowledge();
}
