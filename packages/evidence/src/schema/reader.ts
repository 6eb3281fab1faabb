import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { quote } from "../quote.js";
import { ShapeError } from "./error.js";

export type JsonSchema = JsonObject;

/** One shape: reads a value strictly, and describes itself as JSON Schema 2020-12. */
export interface Reader<T> {
  readonly schema: JsonSchema;
  /** @throws ShapeError with the path of the value that was refused. */
  read(value: JsonValue, path: string): T;
}

export type Shape<R> = R extends Reader<infer T> ? T : never;

type Members = Readonly<Record<string, Reader<unknown>>>;
type ObjectOf<M extends Members> = { readonly [K in keyof M]: Shape<M[K]> };

/** Exactly these keys. There are no optional keys: absence is written as null. */
export const object = <M extends Members>(members: M): Reader<ObjectOf<M>> => {
  const keys = Object.keys(members);
  return {
    schema: {
      type: "object",
      additionalProperties: false,
      required: keys,
      properties: Object.fromEntries(keys.map((key) => [key, member(members, key).schema])),
    },
    read: (value, path) => {
      if (!isJsonObject(value)) throw typeError(path, "an object", value);
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(members, key)) {
          throw new ShapeError(
            "SHAPE_KEY_UNKNOWN",
            path,
            `unknown key ${quote(key)}`,
            `Use only: ${keys.join(", ")}.`,
          );
        }
      }
      const result: Record<string, unknown> = {};
      for (const key of keys) {
        const found = Object.hasOwn(value, key) ? value[key] : undefined;
        if (found === undefined) {
          throw new ShapeError("SHAPE_KEY_MISSING", path, `missing key ${quote(key)}`);
        }
        result[key] = member(members, key).read(found, `${path}.${key}`);
      }
      return result as ObjectOf<M>;
    },
  };
};

const member = (members: Members, key: string): Reader<unknown> => {
  const reader = members[key];
  if (reader === undefined) throw new Error(`no reader for ${key}`);
  return reader;
};

/** Objects told apart by `kind`. */
export const variants = <V extends Readonly<Record<string, Reader<{ readonly kind: string }>>>>(
  cases: V,
): Reader<{ [K in keyof V]: Shape<V[K]> }[keyof V]> => ({
  schema: { oneOf: Object.values(cases).map((reader) => reader.schema) },
  read: (value, path) => {
    if (!isJsonObject(value)) throw typeError(path, "an object", value);
    const kind = value["kind"];
    const chosen = typeof kind === "string" && Object.hasOwn(cases, kind) ? cases[kind] : undefined;
    if (chosen === undefined) {
      throw new ShapeError(
        "SHAPE_ENUM",
        `${path}.kind`,
        `expected one of ${Object.keys(cases).join(", ")}`,
      );
    }
    return chosen.read(value, path) as { [K in keyof V]: Shape<V[K]> }[keyof V];
  },
});

export const array = <T>(items: Reader<T>, max: number, min = 0): Reader<readonly T[]> => ({
  schema: { type: "array", items: items.schema, maxItems: max, minItems: min },
  read: (value, path) => {
    if (!Array.isArray(value)) throw typeError(path, "an array", value);
    if (value.length > max || value.length < min) {
      throw new ShapeError("SHAPE_COUNT", path, `has ${value.length} items, allowed ${min}–${max}`);
    }
    return value.map((item: JsonValue, index) => items.read(item, `${path}[${index}]`));
  },
});

export const nullable = <T>(inner: Reader<T>): Reader<T | null> => ({
  schema: { anyOf: [inner.schema, { type: "null" }] },
  read: (value, path) => (value === null ? null : inner.read(value, path)),
});

export const integer = (
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): Reader<number> => ({
  schema: { type: "integer", minimum: min, maximum: max },
  read: (value, path) => {
    if (typeof value !== "number") throw typeError(path, "an integer", value);
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      throw new ShapeError("SHAPE_RANGE", path, `${value} is outside ${min}–${max}`);
    }
    return value;
  },
});

export const boolean: Reader<boolean> = {
  schema: { type: "boolean" },
  read: (value, path) => {
    if (typeof value !== "boolean") throw typeError(path, "a boolean", value);
    return value;
  },
};

export const literal = <const T extends string>(expected: T): Reader<T> => ({
  schema: { const: expected },
  read: (value, path) => {
    if (value !== expected) throw new ShapeError("SHAPE_ENUM", path, `expected ${quote(expected)}`);
    return expected;
  },
});

export const oneOf = <const T extends string>(values: readonly T[]): Reader<T> => ({
  schema: { enum: values },
  read: (value, path) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) {
      throw new ShapeError("SHAPE_ENUM", path, `expected one of ${values.join(", ")}`);
    }
    return found;
  },
});

/** Text that matches `pattern`, which must be anchored; `what` names it in messages. */
export const pattern = (regexp: RegExp, what: string): Reader<string> => ({
  schema: { type: "string", pattern: regexp.source },
  read: (value, path) => {
    if (typeof value !== "string") throw typeError(path, what, value);
    if (!regexp.test(value)) {
      throw new ShapeError("SHAPE_PATTERN", path, `${quote(value)} is not ${what}`);
    }
    return value;
  },
});

/** Any text of `min`–`max` UTF-16 units without NUL. */
export const text = (max: number, min = 0): Reader<string> => ({
  schema: { type: "string", maxLength: max, minLength: min, pattern: "^[^\\u0000]*$" },
  read: (value, path) => {
    if (typeof value !== "string") throw typeError(path, "text", value);
    if (value.length > max || value.length < min) {
      throw new ShapeError("SHAPE_RANGE", path, `has ${value.length} units, allowed ${min}–${max}`);
    }
    if (value.includes("\0")) throw new ShapeError("SHAPE_PATTERN", path, "contains NUL");
    return value;
  },
});

/** A rule that JSON Schema can't say; `check` returns what is wrong, or null. */
export const rule = <T>(inner: Reader<T>, check: (value: T) => string | null): Reader<T> => ({
  schema: inner.schema,
  read: (value, path) => {
    const result = inner.read(value, path);
    const wrong = check(result);
    if (wrong !== null) throw new ShapeError("SHAPE_RULE", path, wrong);
    return result;
  },
});

export const typeError = (path: string, expected: string, value: JsonValue): ShapeError =>
  new ShapeError("SHAPE_TYPE", path, `expected ${expected}, found ${kindOf(value)}`);

const kindOf = (value: JsonValue): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
