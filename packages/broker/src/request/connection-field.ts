import { listOf } from "./field.js";
import type { Field } from "./model.js";

/** Whom a message is for, where it ends, and on whose behalf it is. */
const NEVER_PER_HOP: ReadonlySet<string> = new Set([
  "authorization",
  "content-length",
  "cookie",
  "host",
  "set-cookie",
  "transfer-encoding",
]);

/**
 * Whether Connection lists nothing that RFC 9110 §7.6.1 says it must not. Guard: a field that it
 * lists is taken away before the next hop, which then sees another message than the one that was
 * judged.
 */
export const connectionIsHonest = (fields: readonly Field[]): boolean =>
  !listOf(fields, "connection").some((name) => NEVER_PER_HOP.has(name));
