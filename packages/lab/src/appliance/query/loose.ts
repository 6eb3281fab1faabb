import type { JsonValue } from "@drydock/evidence";

/** A value's type in the appliance's language. */
export const typeOf = (
  value: JsonValue,
): "null" | "boolean" | "integer" | "double" | "string" | "array" => {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "string":
      return "string";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "double";
    case "object":
      return "array";
  }
};

const NUMERIC = /^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?\s*$/i;

export const isNumeric = (value: JsonValue): boolean =>
  typeof value === "number" || (typeof value === "string" && NUMERIC.test(value));

/** As a text: true is "1", false and null are empty. */
export const textOf = (value: JsonValue): string => {
  if (value === null || value === false) return "";
  if (value === true) return "1";
  return typeof value === "object" ? "Array" : String(value);
};

const isTrue = (value: JsonValue): boolean => {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== "" && value !== "0";
};

/**
 * Equality of the `==` of the appliance's language, in its version 8: a number equals a text that
 * spells it, a truth value equals whatever counts as it.
 */
export const looseEqual = (a: JsonValue, b: JsonValue): boolean => {
  if (typeof a === "boolean" || typeof b === "boolean" || a === null || b === null) {
    if (a === null && typeof b === "string") return b === "";
    if (b === null && typeof a === "string") return a === "";
    return isTrue(a) === isTrue(b);
  }
  if (typeof a === "object" || typeof b === "object") {
    if (!Array.isArray(a) || !Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
    return a.length === b.length && a.every((one, index) => looseEqual(one, b[index] ?? null));
  }
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b);
  return String(a) === String(b);
};
