import { isUtf8 } from "node:buffer";
import { quote } from "../quote.js";
import { JsonError } from "./error.js";
import type { JsonObject, JsonValue } from "./value.js";

export interface JsonLimits {
  /** Whole text, in bytes. */
  readonly maxBytes: number;
  /** Nested arrays and objects. */
  readonly maxDepth: number;
  /** Values and members together; bounds memory, which a byte limit alone leaves at ~50 times. */
  readonly maxNodes: number;
}

/** Enough for every file of the evidence format; frames and receipts pass tighter limits. */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDepth: 32,
  maxNodes: 200_000,
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads one JSON text (RFC 8259) and refuses what two readers could understand differently:
 * duplicate keys, numbers that aren't safe integers, `-0`, lone surrogates, a byte order mark,
 * ill-formed UTF-8 and bytes after the value.
 *
 * @throws JsonError with the byte offset.
 */
export const parseJson = (bytes: Uint8Array, limits: Partial<JsonLimits> = {}): JsonValue =>
  new Parser(bytes, { ...DEFAULT_JSON_LIMITS, ...limits }).parse();

class Parser {
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(bytes: Uint8Array, limits: JsonLimits) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
  }

  parse(): JsonValue {
    if (this.#bytes.length > this.#limits.maxBytes) {
      throw new JsonError("JSON_LIMIT", `longer than ${this.#limits.maxBytes} bytes`, 0);
    }
    if (!isUtf8(this.#bytes)) {
      throw new JsonError("JSON_UTF8", "ill-formed UTF-8", firstIllFormed(this.#bytes));
    }
    const value = this.#value();
    this.#space();
    if (this.#at < this.#bytes.length) this.#fail("JSON_TRAILING", "bytes after the value");
    return value;
  }

  #value(): JsonValue {
    this.#space();
    this.#count();
    const byte = this.#bytes[this.#at];
    switch (byte) {
      case OPEN_OBJECT:
        return this.#nested(() => this.#object());
      case OPEN_ARRAY:
        return this.#nested(() => this.#array());
      case QUOTE:
        return this.#string();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > this.#limits.maxDepth) {
      this.#fail("JSON_LIMIT", `nested deeper than ${this.#limits.maxDepth}`);
    }
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): JsonObject {
    const members: Record<string, JsonValue> = {};
    this.#space();
    if (this.#take(CLOSE_OBJECT)) return members;
    for (;;) {
      this.#space();
      const start = this.#at;
      if (this.#bytes[start] !== QUOTE) this.#fail("JSON_SYNTAX", "expected a key");
      const key = this.#string();
      if (Object.hasOwn(members, key)) {
        throw new JsonError("JSON_DUPLICATE_KEY", `key ${quote(key)} occurs twice`, start);
      }
      this.#space();
      if (!this.#take(COLON)) this.#fail("JSON_SYNTAX", "expected ':'");
      const value = this.#value();
      if (key === "__proto__") {
        // Plain assignment would set the prototype instead of a member.
        Object.defineProperty(members, key, { ...DATA_PROPERTY, value });
      } else {
        members[key] = value;
      }
      this.#space();
      if (this.#take(CLOSE_OBJECT)) return members;
      if (!this.#take(COMMA)) this.#fail("JSON_SYNTAX", "expected ',' or '}'");
    }
  }

  #array(): JsonValue[] {
    const items: JsonValue[] = [];
    this.#space();
    if (this.#take(CLOSE_ARRAY)) return items;
    for (;;) {
      items.push(this.#value());
      this.#space();
      if (this.#take(CLOSE_ARRAY)) return items;
      if (!this.#take(COMMA)) this.#fail("JSON_SYNTAX", "expected ',' or ']'");
    }
  }

  #string(): string {
    const start = this.#at + 1;
    let at = start;
    let escaped = false;
    for (;;) {
      const byte = this.#bytes[at];
      if (byte === undefined) {
        throw new JsonError("JSON_STRING", "string not closed", this.#bytes.length);
      }
      if (byte < 0x20) throw new JsonError("JSON_STRING", "control character in a string", at);
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        at += 1;
      }
      at += 1;
    }
    this.#at = at + 1;
    return escaped ? this.#unescape(start, at) : this.#bytes.toString("utf8", start, at);
  }

  #unescape(start: number, end: number): string {
    let text = "";
    let from = start;
    for (let at = start; at < end; ) {
      if (this.#bytes[at] !== BACKSLASH) {
        at += 1;
        continue;
      }
      text += this.#bytes.toString("utf8", from, at);
      const letter = this.#bytes[at + 1] ?? 0;
      const simple = SIMPLE_ESCAPES.get(letter);
      if (simple !== undefined) {
        text += simple;
        at += 2;
      } else if (letter === 0x75) {
        text += String.fromCharCode(this.#hex(at + 2, end));
        at += 6;
      } else {
        throw new JsonError("JSON_STRING", "unknown escape", at);
      }
      from = at;
    }
    text += this.#bytes.toString("utf8", from, end);
    if (LONE_SURROGATE.test(text)) throw new JsonError("JSON_STRING", "lone surrogate", start);
    return text;
  }

  #hex(at: number, end: number): number {
    const digits = at + 4 <= end ? this.#bytes.toString("latin1", at, at + 4) : "";
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
      throw new JsonError("JSON_STRING", "expected four hexadecimal digits", at);
    }
    return Number.parseInt(digits, 16);
  }

  #number(): number {
    const start = this.#at;
    let at = start + (this.#bytes[start] === MINUS ? 1 : 0);
    const first = at;
    while (isDigit(this.#bytes[at])) at += 1;
    if (at === first) this.#fail("JSON_SYNTAX", "expected a value");
    const next = this.#bytes[at];
    if (next === 0x2e || next === 0x65 || next === 0x45) {
      throw new JsonError("JSON_NUMBER", "not an integer", start);
    }
    if (this.#bytes[first] === 0x30 && (at > first + 1 || first > start)) {
      throw new JsonError("JSON_NUMBER", "leading zero or negative zero", start);
    }
    // 17 characters hold every safe integer; longer ones aren't worth converting.
    const value = at - start > 17 ? Number.NaN : Number(this.#bytes.toString("latin1", start, at));
    if (!Number.isSafeInteger(value)) {
      throw new JsonError("JSON_NUMBER", "integer outside ±(2^53 − 1)", start);
    }
    this.#at = at;
    return value;
  }

  #word<T extends boolean | null>(word: string, value: T): T {
    const end = this.#at + word.length;
    if (this.#bytes.toString("latin1", this.#at, end) !== word) {
      this.#fail("JSON_SYNTAX", "expected a value");
    }
    this.#at = end;
    return value;
  }

  #space(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at += 1;
    }
  }

  #take(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > this.#limits.maxNodes) {
      this.#fail("JSON_LIMIT", `more than ${this.#limits.maxNodes} values`);
    }
  }

  #fail(code: "JSON_SYNTAX" | "JSON_TRAILING" | "JSON_LIMIT", what: string): never {
    throw new JsonError(code, what, this.#at);
  }
}

const DATA_PROPERTY = { writable: true, enumerable: true, configurable: true } as const;

const SIMPLE_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

const firstIllFormed = (bytes: Buffer): number => {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
};
