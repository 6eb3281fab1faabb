import { canonicalise } from "./canonical.js";
import type { JsonValue } from "./value.js";

/** Whether `bytes` are exactly the RFC 8785 form of `value`, which was read from them. */
export const isCanonicalFormOf = (bytes: Uint8Array, value: JsonValue): boolean =>
  Buffer.from(canonicalise(value), "utf8").equals(bytes);
