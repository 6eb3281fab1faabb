import {
  type ContractState,
  type HexDigest,
  type Identifier,
  type Millis,
  mayTransition,
} from "../contract/index.js";
import { coolsDown, RATE_LIMITS } from "../rate/index.js";
import { type EventRow, genesis, readEventRow } from "./event-row.js";
import { storeFault } from "./fault.js";
import { NO_CONTRACTS, type StateCounts } from "./head.js";
import type { RowMac } from "./mac.js";
import type { AuditEvent } from "./port.js";

/** Where a history leads, row by row. */
export interface History {
  readonly head: HexDigest;
  readonly latest: Millis;
  readonly states: StateCounts;
  readonly lastOf: ReadonlyMap<Identifier, EventRow>;
  readonly cooledAt: ReadonlyMap<HexDigest, Millis>;
  /** How often each contract was said something about under signature. */
  readonly evidence: ReadonlyMap<Identifier, number>;
}

/**
 * Reads all events in order: none missing, none moved, and each contract's a chain of steps that
 * there are.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const readHistory = (rows: readonly EventRow[], mac: RowMac): History => {
  let head = genesis(mac);
  let latest = 0;
  const states: Record<ContractState, number> = { ...NO_CONTRACTS };
  const lastOf = new Map<Identifier, EventRow>();
  const last = new Map<Identifier, AuditEvent>();
  const cooledAt = new Map<HexDigest, Millis>();
  const evidence = new Map<Identifier, number>();
  rows.forEach((row, index) => {
    const event = readEventRow(row, head, mac);
    const { contractId, currentState: to } = event;
    if (row.sequence !== index + 1) throw broken();
    if (!follows(last.get(contractId), event)) throw broken();
    if (event.at < latest) throw broken();
    head = row.mac;
    latest = event.at;
    if (event.previousState !== null) states[event.previousState] -= 1;
    states[to] += 1;
    lastOf.set(contractId, row);
    last.set(contractId, event);
    if (event.previousState !== to && coolsDown(to)) {
      cooledAt.set(event.targetIdentityDigest, event.at + RATE_LIMITS.cooldownMillis);
    }
    if (event.evidenceDigest !== null) {
      evidence.set(contractId, (evidence.get(contractId) ?? 0) + 1);
    }
  });
  return { head, latest, states, lastOf, cooledAt, evidence };
};

/** Whether an event can come right after another of the same contract. */
const follows = (before: AuditEvent | undefined, event: AuditEvent): boolean => {
  const { previousState: from, currentState: to, stateVersion, outcome } = event;
  if (before === undefined) {
    return outcome === "created" && from === null && to === "PREPARING" && stateVersion === 1;
  }
  if (from === null || from !== before.currentState || stateVersion !== before.stateVersion + 1) {
    return false;
  }
  if (outcome === "confirm") return from === "PREPARED" && to === "PREPARED";
  return (
    mayTransition(from, to, "automatic") ||
    mayTransition(from, to, "dedicated") ||
    mayTransition(from, to, "manual")
  );
};

const broken = () => storeFault("STORE_INTEGRITY", "its history isn't one");
