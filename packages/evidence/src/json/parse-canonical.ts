import { canonicalise } from "./canonical.js";
import { JsonError } from "./error.js";
import { isCanonicalFormOf } from "./is-canonical.js";
import { type JsonLimits, parseJson } from "./parse.js";
import type { JsonValue } from "./value.js";

/** Whether `bytes` are one JSON text in RFC 8785 form; false also for what isn't JSON. */
export const isCanonical = (bytes: Uint8Array): boolean => {
  try {
    return isCanonicalFormOf(bytes, parseJson(bytes));
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
};

/**
 * Reads a signed or hashed text. Only the canonical form is accepted: with two spellings of one
 * value, two readers could hash different bytes and both be right.
 *
 * @throws JsonError
 */
export const parseCanonical = (bytes: Uint8Array, limits: Partial<JsonLimits> = {}): JsonValue => {
  const value = parseJson(bytes, limits);
  if (!isCanonicalFormOf(bytes, value)) {
    throw new JsonError(
      "JSON_NOT_CANONICAL",
      "not in RFC 8785 form",
      firstDifference(bytes, value),
    );
  }
  return value;
};

const firstDifference = (bytes: Uint8Array, value: JsonValue): number => {
  const expected = Buffer.from(canonicalise(value), "utf8");
  let at = 0;
  while (at < bytes.length && bytes[at] === expected[at]) at += 1;
  return at;
};
