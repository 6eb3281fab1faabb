import type { HexDigest, RecoveryContract } from "../contract/index.js";
import type { RateStanding } from "../rate/index.js";
import { readContractRow } from "./contract-row.js";
import { readEventRow } from "./event-row.js";
import { storeFault } from "./fault.js";
import { readHeadRow, type StoreHead } from "./head.js";
import { isLatest } from "./is-latest.js";
import type { RowMac } from "./mac.js";
import { requireMatchingCounts } from "./matching-counts.js";
import { requireMatchingLocks } from "./matching-locks.js";
import type { Reservation } from "./port.js";
import { previousMac } from "./previous.js";
import { readCooldownRow, readReservationRow } from "./small-rows.js";
import type { Statements } from "./statements.js";

/** What one transaction begins with, read and found authentic: all that can stop anybody. */
export interface Snapshot {
  readonly head: StoreHead;
  /** Contracts that wait, are under way or hold a target. */
  readonly active: readonly RecoveryContract[];
  readonly reservations: readonly Reservation[];
}

export interface Reading {
  readonly statements: Statements;
  readonly storeId: string;
  readonly mac: RowMac;
}

/**
 * Reads what every decision depends on. That nothing of it is missing is seen by its counts, which
 * the store's head has under its own MAC; that nothing is old, by the end of the history.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const readSnapshot = ({ statements, storeId, mac }: Reading): Snapshot => {
  const head = readHeadRow(statements.head(), storeId, mac);
  requireMatchingCounts(statements, head);
  const last = statements.lastEvent();
  if (last === undefined ? head.events !== 0 : last.sequence !== head.events) {
    throw storeFault("STORE_INTEGRITY", "its history has another end");
  }
  if (last !== undefined) {
    readEventRow(last, previousMac(statements, last, mac), mac);
    if (last.mac !== head.head) throw storeFault("STORE_INTEGRITY", "its history was exchanged");
  }
  const active = statements.active().map((row) => readContractRow(row, mac));
  const reservations = statements.reservations().map((row) => readReservationRow(row, mac));
  requireMatchingLocks(active, reservations);
  return { head, active, reservations };
};

/**
 * One contract, as the last thing that happened to it left it.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const readContract = (
  { statements, mac }: Reading,
  contractId: string,
): RecoveryContract | null => {
  const row = statements.contract(contractId);
  const latest = statements.latestOf(contractId);
  if (row === undefined && latest === undefined) return null;
  if (row === undefined || latest === undefined) {
    throw storeFault("STORE_INTEGRITY", "a contract or its history is gone");
  }
  const contract = readContractRow(row, mac);
  readEventRow(latest, previousMac(statements, latest, mac), mac);
  if (!isLatest(latest, contract)) {
    throw storeFault("STORE_INTEGRITY", "a contract isn't as its history left it");
  }
  return contract;
};

/** What else goes on, from the point of view of one target. */
export const standingOf = (
  { statements, mac }: Reading,
  { active, reservations }: Snapshot,
  target: HexDigest,
): RateStanding => {
  const count = (keep: (contract: RecoveryContract) => boolean): number =>
    active.filter(keep).length;
  const cooldown = statements.cooldown(target);
  return {
    target,
    inFlight: count(({ state }) => state === "EXECUTING" || state === "ROLLING_BACK"),
    outstanding: count(
      ({ state, targetIdentityDigest }) =>
        targetIdentityDigest === target && (state === "PREPARING" || state === "PREPARED"),
    ),
    unresolved: count(({ state }) => state === "RECONCILIATION"),
    cooledAt: cooldown === undefined ? null : readCooldownRow(cooldown, mac),
    holder:
      reservations.find(({ targetIdentityDigest }) => targetIdentityDigest === target)
        ?.contractId ?? null,
  };
};
