import { listOf } from "./field.js";
import type { Field } from "./model.js";

/**
 * RFC 9110 §7.6.1 and §11.7, and those that were used before it. Upgrade goes with them: nothing
 * but HTTP/1.1 is spoken behind the broker, so no request for `h2c` or `websocket` gets there.
 */
const PER_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Without the fields that were meant for the next hop only, and those that Connection names.
 * Guard: credentials for the broker and requests to change protocol end here.
 */
export const endToEndFields = (fields: readonly Field[]): readonly Field[] => {
  const named = new Set(listOf(fields, "connection"));
  return fields.filter(({ name }) => !PER_HOP.has(name) && !named.has(name));
};
