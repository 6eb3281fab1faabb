import { createHmac } from "node:crypto";
import { framed } from "../canonical/index.js";
import type { HexDigest, Identifier } from "../contract/model.js";
import { storeFault } from "./fault.js";

const DOMAIN = "drydock.dev/contract-store/v1";

const MIN_KEY_BYTES = 32;

export type Table =
  | "metadata"
  | "contracts"
  | "target_reservations"
  | "audit_events"
  | "rate_cooldowns"
  | "spent_nonces";

/** HMAC-SHA-256 over store, table and a row's columns, of which each has one type. */
export type RowMac = (table: Table, columns: readonly (string | number)[]) => HexDigest;

/** @throws DrydockError STORE_KEY */
export const rowMac = (key: Uint8Array, storeId: Identifier): RowMac => {
  if (key.length < MIN_KEY_BYTES) throw storeFault("STORE_KEY", `a key of ${key.length} bytes`);
  const own = Uint8Array.from(key);
  return (table, columns) =>
    createHmac("sha256", own)
      .update(framed([DOMAIN, storeId, table, ...columns.map(String)]))
      .digest("hex");
};
