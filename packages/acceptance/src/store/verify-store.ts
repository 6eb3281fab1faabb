import { canonicalise } from "@drydock/evidence";
import type Database from "better-sqlite3";
import { readContractRow } from "./contract-row.js";
import { storeFault } from "./fault.js";
import { isLatest } from "./is-latest.js";
import { requireMatchingLocks } from "./matching-locks.js";
import { readCooldownRow, readNonceRow, readReservationRow } from "./small-rows.js";
import { type Reading, readSnapshot } from "./snapshot.js";
import { readHistory } from "./verify-history.js";

/**
 * Reads every row of every table: each is authentic, and together they are what the history leads
 * to and nothing else. Within a transaction.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const verifyStore = (reading: Reading, database: Database.Database): void => {
  const { statements, mac } = reading;
  if (database.pragma("integrity_check(1)", { simple: true }) !== "ok") {
    throw storeFault("STORE_INTEGRITY", "its file is damaged");
  }
  const { head } = readSnapshot(reading);
  const history = readHistory(statements.events(), mac);
  const contracts = statements.contracts().map((row) => readContractRow(row, mac));
  const reservations = statements.reservations().map((row) => readReservationRow(row, mac));
  requireMatchingLocks(contracts, reservations);

  const expect = (what: string, holds: boolean): void => {
    if (!holds) throw storeFault("STORE_INTEGRITY", `its ${what} isn't what its history leads to`);
  };
  expect("head", head.head === history.head && head.latest === history.latest);
  expect("counts", canonicalise(head.states) === canonicalise(history.states));
  expect("list of contracts", contracts.length === history.lastOf.size);
  for (const contract of contracts) {
    const last = history.lastOf.get(contract.contractId);
    expect("contract", last !== undefined && isLatest(last, contract));
  }

  const cooldowns = statements.cooldowns();
  expect("list of cooldowns", cooldowns.length === history.cooledAt.size);
  for (const row of cooldowns) {
    expect(
      "cooldown",
      readCooldownRow(row, mac) === history.cooledAt.get(row.target_identity_digest),
    );
  }

  const spent = new Map<string, number>();
  for (const row of statements.nonces()) {
    const { contractId } = readNonceRow(row, mac);
    spent.set(contractId, (spent.get(contractId) ?? 0) + 1);
  }
  expect("list of nonces", spent.size === history.evidence.size);
  for (const [contractId, times] of history.evidence) {
    expect("nonce", spent.get(contractId) === times);
  }
};
