import { canonicalise, parseJson, shape } from "@drydock/evidence";
import {
  CONTRACT_STATES,
  type ContractState,
  type HexDigest,
  type Millis,
} from "../contract/index.js";
import { requireAuthentic } from "./authentic.js";
import { genesis } from "./event-row.js";
import { storeFault } from "./fault.js";
import type { RowMac } from "./mac.js";

/** How many contracts there are in each state. */
export type StateCounts = Readonly<Record<ContractState, number>>;

/** What the store knows of itself: where its history ends, and how much of everything there is. */
export interface StoreHead {
  readonly storeId: string;
  /** Whether there is an anchor that has to be asked. */
  readonly anchored: boolean;
  /** MAC of the last event. */
  readonly head: HexDigest;
  /** Time of the last event: the store's clock never runs back behind it. */
  readonly latest: Millis;
  readonly events: number;
  readonly states: StateCounts;
  readonly reservations: number;
  readonly cooldowns: number;
  readonly nonces: number;
}

export const NO_CONTRACTS = Object.fromEntries(
  CONTRACT_STATES.map((state) => [state, 0]),
) as StateCounts;

export const emptyHead = (storeId: string, mac: RowMac): StoreHead => ({
  storeId,
  anchored: false,
  head: genesis(mac),
  latest: 0,
  events: 0,
  states: NO_CONTRACTS,
  reservations: 0,
  cooldowns: 0,
  nonces: 0,
});

export type HeadRow = {
  readonly only: number;
  readonly store_id: string;
  readonly anchored: number;
  readonly head: string;
  readonly latest: number;
  readonly events: number;
  readonly states: string;
  readonly reservations: number;
  readonly cooldowns: number;
  readonly nonces: number;
  readonly mac: string;
};

export const headRow = (head: StoreHead, mac: RowMac): HeadRow => {
  const columns = {
    only: 1,
    store_id: head.storeId,
    anchored: head.anchored ? 1 : 0,
    head: head.head,
    latest: head.latest,
    events: head.events,
    states: canonicalise(head.states),
    reservations: head.reservations,
    cooldowns: head.cooldowns,
    nonces: head.nonces,
  };
  return { ...columns, mac: mac("metadata", Object.values(columns)) };
};

const statesReader = shape.object(
  Object.fromEntries(CONTRACT_STATES.map((state) => [state, shape.integer(0)])),
);

/** @throws DrydockError STORE_INTEGRITY */
export const readHeadRow = (row: HeadRow | undefined, storeId: string, mac: RowMac): StoreHead => {
  if (row === undefined) throw storeFault("STORE_INTEGRITY", "its metadata is gone");
  if (row.store_id !== storeId) throw storeFault("STORE_INTEGRITY", "it is another store");
  const head: StoreHead = {
    storeId: row.store_id,
    anchored: row.anchored === 1,
    head: row.head,
    latest: row.latest,
    events: row.events,
    states: parsedStates(row.states),
    reservations: row.reservations,
    cooldowns: row.cooldowns,
    nonces: row.nonces,
  };
  requireAuthentic("metadata", row, headRow(head, mac));
  return head;
};

const parsedStates = (text: string): StateCounts => {
  try {
    return statesReader.read(parseJson(Buffer.from(text)), "states") as StateCounts;
  } catch (error) {
    throw storeFault("STORE_INTEGRITY", "its counts aren't counts", error);
  }
};
