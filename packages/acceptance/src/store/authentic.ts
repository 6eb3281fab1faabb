import { timingSafeEqual } from "node:crypto";
import { storeFault } from "./fault.js";
import type { Table } from "./mac.js";

type Row = Readonly<Record<string, string | number>> & { readonly mac: string };

/**
 * Whether a stored row is, column by column and with its MAC, what the store would write of what
 * it says.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const requireAuthentic = (table: Table, stored: Row, wanted: Row): void => {
  const found = Buffer.from(stored.mac);
  const mac = Buffer.from(wanted.mac);
  if (found.length !== mac.length || !timingSafeEqual(found, mac)) changed(table);
  for (const [column, value] of Object.entries(wanted)) {
    if (stored[column] !== value) changed(table);
  }
};

const changed = (table: Table): never => {
  throw storeFault("STORE_INTEGRITY", `a row of ${table} isn't as it was written`);
};
