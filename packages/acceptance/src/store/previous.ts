import type { HexDigest } from "../contract/index.js";
import { type EventRow, genesis } from "./event-row.js";
import { storeFault } from "./fault.js";
import type { RowMac } from "./mac.js";
import type { Statements } from "./statements.js";

/** MAC of the event before; that it is the right one the event's own MAC says. */
export const previousMac = (
  statements: Statements,
  { sequence }: EventRow,
  mac: RowMac,
): HexDigest => {
  if (sequence === 1) return genesis(mac);
  const row = statements.event(sequence - 1);
  if (row === undefined) throw storeFault("STORE_INTEGRITY", "an event is gone");
  return row.mac;
};
