/// <reference lib="es2024.string" />
import { quote } from "../quote.js";
import { JsonError } from "./error.js";

/**
 * RFC 8785 over the values that this format has: null, booleans, safe integers, well-formed
 * strings, arrays and plain objects. Everything else (undefined, functions, floats, Map, Date,
 * holes, symbol keys, lone surrogates) is refused, because general canonicalisers write some of
 * these as text that isn't JSON.
 *
 * @throws JsonError JSON_VALUE naming the place as a path.
 */
export const canonicalise = (value: unknown): string => write(value, "$", 0);

export const canonicalBytes = (value: unknown): Buffer => Buffer.from(canonicalise(value), "utf8");

/** Deeper values are a cycle or an attack; every schema here nests less than ten levels. */
const MAX_DEPTH = 64;

const write = (value: unknown, path: string, depth: number): string => {
  if (depth > MAX_DEPTH) return refuse(path, `nested deeper than ${MAX_DEPTH}`);
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? JSON.stringify(value) : refuse(path, "lone surrogate");
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
        return refuse(path, "not a safe integer");
      }
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value)
        ? writeArray(value, path, depth)
        : writeObject(value, path, depth);
    case "bigint":
    case "function":
    case "symbol":
    case "undefined":
      return refuse(path, `${typeof value} has no JSON form`);
  }
};

const writeArray = (items: readonly unknown[], path: string, depth: number): string => {
  let text = "[";
  // A for loop and not map: map would skip holes.
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ",";
    text += write(items[index], `${path}[${index}]`, depth + 1);
  }
  return `${text}]`;
};

const writeObject = (object: object, path: string, depth: number): string => {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    return refuse(path, "not a plain object");
  }
  if (Object.getOwnPropertySymbols(object).length > 0) return refuse(path, "symbol key");
  let text = "{";
  // RFC 8785 §3.2.3: keys sorted by UTF-16 code units, which is what sort() does by default.
  for (const key of Object.keys(object).sort()) {
    if (!key.isWellFormed()) return refuse(path, "lone surrogate in a key");
    if (text.length > 1) text += ",";
    const member = (object as Record<string, unknown>)[key];
    text += `${JSON.stringify(key)}:${write(member, `${path}.${key}`, depth + 1)}`;
  }
  return `${text}}`;
};

const refuse = (path: string, what: string): never => {
  throw new JsonError("JSON_VALUE", `${what} in ${quote(path)}`, 0);
};
