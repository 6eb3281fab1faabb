import type { MeasurementKind } from "./event-type.js";
import {
  ascii,
  expectBytes,
  isAt,
  NO,
  type Position,
  scanDigest,
  scanId,
  scanInteger,
  scanKey,
  scanText,
} from "./scan-bytes.js";
import type { Span, SpanKind } from "./template.js";

/** Below the limits of `readRecord`, so that whatever passes here passes there. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 512;
const MAX_TEXT = 1024;
/** Records with more members take the slow path. */
const MAX_MEMBERS = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const TRUE = ascii("true");
const FALSE = ascii("false");
const NULL = ascii("null");

type Kind = "integer" | "text" | "boolean" | "null" | "list" | "object";

export interface RequiredMeasurement {
  readonly name: Uint8Array;
  readonly kind: MeasurementKind;
}

/** Scans a `measurements` object and remembers where its members are. */
export class MeasurementScanner {
  readonly #keyStart = new Int32Array(MAX_MEMBERS);
  readonly #keyEnd = new Int32Array(MAX_MEMBERS);
  readonly #valueStart = new Int32Array(MAX_MEMBERS);
  readonly #valueEnd = new Int32Array(MAX_MEMBERS);
  readonly #kinds: Kind[] = new Array<Kind>(MAX_MEMBERS).fill("null");
  #members = 0;
  #kind: Kind = "null";

  scan(bytes: Uint8Array, at: Position): Position {
    this.#members = 0;
    if (at < 0 || bytes[at] !== 0x7b) return NO;
    return this.#object(bytes, at + 1, 0);
  }

  /** @param required sorted by name, as the members are. */
  satisfy(bytes: Uint8Array, required: readonly RequiredMeasurement[]): boolean {
    let member = 0;
    for (const { name, kind } of required) {
      while (member < this.#members && !this.#isNamed(bytes, member, name)) member += 1;
      if (member === this.#members || !this.#is(bytes, member, kind)) return false;
    }
    return true;
  }

  /** The values that may differ in another record of the same form, as spans in order. */
  spans(bytes: Uint8Array): readonly Span[] {
    const spans: Span[] = [];
    for (let member = 0; member < this.#members; member += 1) {
      const from = this.#valueStart[member] ?? NO;
      const to = this.#valueEnd[member] ?? NO;
      const kind = this.#kinds[member];
      if (kind === "integer" && bytes[from] !== MINUS) spans.push({ from, to, kind: "count" });
      if (kind === "text") {
        spans.push({ from: from + 1, to: to - 1, kind: textKind(bytes, from + 1, to - 1) });
      }
    }
    return spans;
  }

  #isNamed(bytes: Uint8Array, member: number, name: Uint8Array): boolean {
    return isAt(bytes, this.#keyStart[member] ?? NO, this.#keyEnd[member] ?? NO, name);
  }

  #is(bytes: Uint8Array, member: number, kind: MeasurementKind): boolean {
    const found = this.#kinds[member];
    const start = this.#valueStart[member] ?? NO;
    const end = this.#valueEnd[member] ?? NO;
    switch (kind) {
      case "id":
        return found === "text" && scanId(bytes, start + 1) === end - 1;
      case "digest":
        return found === "text" && scanDigest(bytes, start + 1) === end - 1;
      case "count":
        return found === "integer" && bytes[start] !== MINUS;
      case "text":
      case "boolean":
      case "list":
      case "object":
        return found === kind;
    }
  }

  #object(bytes: Uint8Array, from: Position, depth: number): Position {
    let at = from;
    if (bytes[at] === 0x7d) return at + 1;
    let lastStart = NO;
    let lastEnd = NO;
    for (;;) {
      if (bytes[at] !== QUOTE) return NO;
      const keyStart = at + 1;
      const keyEnd = scanKey(bytes, keyStart);
      if (keyEnd < 0 || bytes[keyEnd] !== QUOTE || bytes[keyEnd + 1] !== 0x3a) return NO;
      if (lastEnd >= 0 && !isAscending(bytes, lastStart, lastEnd, keyStart, keyEnd)) return NO;
      lastStart = keyStart;
      lastEnd = keyEnd;
      const valueStart = keyEnd + 2;
      at = this.#value(bytes, valueStart, depth + 1);
      if (at < 0) return NO;
      if (depth === 0) {
        const member = this.#members;
        if (member === MAX_MEMBERS) return NO;
        this.#keyStart[member] = keyStart;
        this.#keyEnd[member] = keyEnd;
        this.#valueStart[member] = valueStart;
        this.#valueEnd[member] = at;
        this.#kinds[member] = this.#kind;
        this.#members += 1;
      }
      if (bytes[at] === 0x7d) return at + 1;
      if (bytes[at] !== COMMA) return NO;
      at += 1;
    }
  }

  #array(bytes: Uint8Array, from: Position, depth: number): Position {
    let at = from;
    if (bytes[at] === 0x5d) return at + 1;
    for (let items = 1; items <= MAX_ITEMS; items += 1) {
      at = this.#value(bytes, at, depth + 1);
      if (at < 0) return NO;
      if (bytes[at] === 0x5d) return at + 1;
      if (bytes[at] !== COMMA) return NO;
      at += 1;
    }
    return NO;
  }

  #value(bytes: Uint8Array, at: Position, depth: number): Position {
    if (depth > MAX_DEPTH) return NO;
    switch (bytes[at]) {
      case QUOTE: {
        const end = scanText(bytes, at + 1, MAX_TEXT);
        this.#kind = "text";
        return end >= 0 && bytes[end] === QUOTE ? end + 1 : NO;
      }
      case 0x7b: {
        const end = this.#object(bytes, at + 1, depth);
        this.#kind = "object";
        return end;
      }
      case 0x5b: {
        const end = this.#array(bytes, at + 1, depth);
        this.#kind = "list";
        return end;
      }
      case 0x74:
        this.#kind = "boolean";
        return expectBytes(bytes, at, TRUE);
      case 0x66:
        this.#kind = "boolean";
        return expectBytes(bytes, at, FALSE);
      case 0x6e:
        this.#kind = "null";
        return expectBytes(bytes, at, NULL);
      default:
        this.#kind = "integer";
        return scanInteger(bytes, at);
    }
  }
}

/** The narrowest kind: whatever a type requires of the value, a repetition of it has as well. */
const textKind = (bytes: Uint8Array, from: Position, to: Position): SpanKind => {
  if (scanDigest(bytes, from) === to) return "digest";
  return scanId(bytes, from) === to ? "id" : "text";
};

/** Strictly: equal keys are duplicates. */
const isAscending = (
  bytes: Uint8Array,
  leftStart: Position,
  leftEnd: Position,
  rightStart: Position,
  rightEnd: Position,
): boolean => {
  const length = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  for (let index = 0; index < length; index += 1) {
    const difference = (bytes[leftStart + index] ?? 0) - (bytes[rightStart + index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return leftEnd - leftStart < rightEnd - rightStart;
};
