import { valuesOf } from "./field.js";
import type { Field, Framing, HttpVersion } from "./model.js";

/** What the fields say; what it means depends on the message that they are in. */
export type SaidFraming =
  | Extract<Framing, { kind: "length" | "chunked" }>
  | { readonly kind: "unsaid" };

/** At most 2^53 - 1, so that arithmetic on it is exact; one spelling, without leading zeros. */
const LENGTH = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * What Content-Length and Transfer-Encoding say together, or null where two recipients could
 * disagree (RFC 9112 §6.1, §6.3): both of them, either twice, even with the same value, a list, a
 * coding besides `chunked`, or any coding in HTTP/1.0. Guard: whoever reads another end of a
 * message than the broker does gets a message in that nobody judged.
 */
export const readFraming = (fields: readonly Field[], version: HttpVersion): SaidFraming | null => {
  const lengths = valuesOf(fields, "content-length");
  const codings = valuesOf(fields, "transfer-encoding");
  const [length] = lengths;
  const [coding] = codings;
  if (lengths.length + codings.length > 1) {
    return null;
  }
  if (coding !== undefined) {
    return coding.toLowerCase() === "chunked" && version === "1.1" ? { kind: "chunked" } : null;
  }
  if (length !== undefined) {
    const bytes = LENGTH.test(length) ? Number(length) : Number.NaN;
    return Number.isSafeInteger(bytes) ? { kind: "length", bytes } : null;
  }
  return { kind: "unsaid" };
};
