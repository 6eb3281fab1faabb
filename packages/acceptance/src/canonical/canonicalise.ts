/// <reference lib="es2024.string" />
import { DrydockError } from "@drydock/evidence";
import {
  MAX_BYTES,
  MAX_DEPTH,
  MAX_INTEGER,
  MAX_ITEMS,
  MAX_NODES,
  MAX_STRING_BYTES,
  MIN_INTEGER,
} from "./bounds.js";

/** JSON with integers only; larger ones than a JavaScript number can hold exactly are bigints. */
export type CanonicalValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/**
 * The one spelling of a value: compact JSON in UTF-8, all text in NFC, keys sorted by code point.
 * RFC 8785 differs in the order of keys beyond U+FFFF, and leaves text as it was written, so that
 * one name typed on two keyboards would be two targets.
 *
 * Messages name places by position and never a key or a value, since both may be secret.
 *
 * @throws DrydockError CANONICAL_INVALID, CANONICAL_LIMIT or CANONICAL_KEY_COLLISION
 */
export const canonicalBytes = (value: CanonicalValue): Buffer => {
  const writer = new Writer();
  writer.write(value, 0, "$");
  return Buffer.concat(writer.parts);
};

class Writer {
  readonly parts: Buffer[] = [];
  #bytes = 0;
  #nodes = 0;

  write(value: unknown, depth: number, place: string): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) tooMuch(`more than ${MAX_NODES} values`, place);
    if (typeof value !== "object" || value === null) this.#put(Buffer.from(scalar(value, place)));
    else if (depth >= MAX_DEPTH) tooMuch(`nested deeper than ${MAX_DEPTH}`, place);
    else if (Array.isArray(value)) this.#array(value, depth, place);
    else this.#object(value, depth, place);
  }

  #array(items: readonly unknown[], depth: number, place: string): void {
    if (items.length > MAX_ITEMS) tooMuch(`more than ${MAX_ITEMS} items`, place);
    this.#put(OPEN_ARRAY);
    // A for loop and not forEach: forEach would skip holes.
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) this.#put(COMMA);
      this.write(items[index], depth + 1, `${place}[${index}]`);
    }
    this.#put(CLOSE_ARRAY);
  }

  #object(object: object, depth: number, place: string): void {
    const prototype = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) invalid("no plain object", place);
    if (Object.getOwnPropertySymbols(object).length > 0) invalid("a symbol as a key", place);
    const members = Object.entries(object);
    if (members.length > MAX_ITEMS) tooMuch(`more than ${MAX_ITEMS} members`, place);
    const sorted = members
      .map(([key, member]) => ({ key: Buffer.from(normalised(key, place)), member }))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    this.#put(OPEN_OBJECT);
    sorted.forEach(({ key, member }, index) => {
      if (index > 0) {
        if (sorted[index - 1]?.key.equals(key) === true) collision(place);
        this.#put(COMMA);
      }
      this.#put(Buffer.from(JSON.stringify(key.toString("utf8"))));
      this.#put(COLON);
      this.write(member, depth + 1, `${place}{${index}}`);
    });
    this.#put(CLOSE_OBJECT);
  }

  #put(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_BYTES) tooMuch(`more than ${MAX_BYTES} bytes`, "$");
    this.parts.push(bytes);
  }
}

const scalar = (value: unknown, place: string): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(normalised(value, place));
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? String(value)
        : invalid("a number that isn't an integer exactly", place);
    case "bigint":
      return value >= MIN_INTEGER && value <= MAX_INTEGER
        ? String(value)
        : tooMuch("an integer of more than 64 bits", place);
    case "boolean":
      return String(value);
    default:
      return value === null ? "null" : invalid("a value that isn't JSON", place);
  }
};

const OPEN_ARRAY = Buffer.from("[");
const CLOSE_ARRAY = Buffer.from("]");
const OPEN_OBJECT = Buffer.from("{");
const CLOSE_OBJECT = Buffer.from("}");
const COMMA = Buffer.from(",");
const COLON = Buffer.from(":");

/** NFC makes one unit of up to four (Unicode 16: alpha with three marks), never of more. */
const MAX_COMPOSED_UNITS = 4;

const normalised = (text: string, place: string): string => {
  if (!text.isWellFormed()) invalid("a lone surrogate", place);
  if (text.length > MAX_STRING_BYTES * MAX_COMPOSED_UNITS) stringTooLong(place);
  const nfc = text.normalize("NFC");
  if (Buffer.byteLength(nfc) > MAX_STRING_BYTES) stringTooLong(place);
  return nfc;
};

const stringTooLong = (place: string): never =>
  tooMuch(`a string of more than ${MAX_STRING_BYTES} bytes`, place);

const tooMuch = (what: string, place: string): never => {
  throw new DrydockError("CANONICAL_LIMIT", `${what} at ${place}`, {
    fix: "Rehearse a smaller change.",
  });
};

const invalid = (what: string, place: string): never => {
  throw new DrydockError("CANONICAL_INVALID", `${what} at ${place}`, {
    fix: "Use null, true, false, integers, well-formed text, arrays and plain objects.",
  });
};

const collision = (place: string): never => {
  throw new DrydockError("CANONICAL_KEY_COLLISION", `two keys are one in NFC at ${place}`, {
    fix: "Write each key once.",
  });
};
