/** Positions are byte offsets; each scanner returns the one behind what it read, or −1. */
export type Position = number;
export const NO = -1;

export const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));

export const expectBytes = (bytes: Uint8Array, at: Position, expected: Uint8Array): Position => {
  if (at < 0) return NO;
  for (let index = 0; index < expected.length; index += 1) {
    if (bytes[at + index] !== expected[index]) return NO;
  }
  return at + expected.length;
};

const table = (allowed: (character: string) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (allowed(String.fromCharCode(byte)) ? 1 : 0));

const ID_FIRST = table((character) => /[A-Za-z0-9]/.test(character));
const ID_REST = table((character) => /[A-Za-z0-9_.:-]/.test(character));
const KEY_FIRST = table((character) => /[a-zA-Z]/.test(character));
const KEY_REST = table((character) => /[a-zA-Z0-9_]/.test(character));
const HEX = table((character) => /[0-9a-f]/.test(character));
/** What a canonical string holds unescaped, as far as the fast path reads it: ASCII. */
const PLAIN = table((character) => /[ !#-[\]-\x7f]/.test(character));

const MAX_ID = 128;
const MAX_KEY = 64;

/** An id, up to its closing quote. */
export const scanId = (bytes: Uint8Array, at: Position): Position =>
  scanRun(bytes, at, ID_FIRST, ID_REST, MAX_ID);

/** A key of measurements, up to its closing quote. */
export const scanKey = (bytes: Uint8Array, at: Position): Position =>
  scanRun(bytes, at, KEY_FIRST, KEY_REST, MAX_KEY);

const scanRun = (
  bytes: Uint8Array,
  at: Position,
  first: Uint8Array,
  rest: Uint8Array,
  max: number,
): Position => {
  if (at < 0 || first[bytes[at] ?? 0] !== 1) return NO;
  let end = at + 1;
  while (rest[bytes[end] ?? 0] === 1) end += 1;
  return end - at <= max ? end : NO;
};

/** Plain text of at most `max` bytes, up to its closing quote. */
export const scanText = (bytes: Uint8Array, at: Position, max: number): Position => {
  if (at < 0) return NO;
  let end = at;
  while (PLAIN[bytes[end] ?? 0] === 1) end += 1;
  return end - at <= max ? end : NO;
};

const SHA256 = ascii("sha256:");

/** `sha256:` and 64 digits. */
export const scanDigest = (bytes: Uint8Array, at: Position): Position => {
  const start = expectBytes(bytes, at, SHA256);
  if (start < 0) return NO;
  for (let index = start; index < start + 64; index += 1) {
    if (HEX[bytes[index] ?? 0] !== 1) return NO;
  }
  return start + 64;
};

const ZERO = 0x30;
const MINUS = 0x2d;

/** An integer in canonical form; of at most 15 digits, so that it is safe without looking. */
export const scanInteger = (bytes: Uint8Array, at: Position): Position => {
  if (at < 0) return NO;
  const first = bytes[at] === MINUS ? at + 1 : at;
  let end = first;
  while (isDigit(bytes[end])) end += 1;
  if (end === first || end - first > 15) return NO;
  if (bytes[first] === ZERO && (end > first + 1 || first > at)) return NO;
  return end;
};

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= 0x39;

/** Value of decimal digits that were scanned. */
export const numberAt = (bytes: Uint8Array, at: Position, end: Position): number => {
  let value = 0;
  for (let index = at; index < end; index += 1) value = value * 10 + ((bytes[index] ?? 0) - ZERO);
  return value;
};

const twoDigits = (bytes: Uint8Array, at: Position, min: number, max: number): boolean => {
  if (!isDigit(bytes[at]) || !isDigit(bytes[at + 1])) return false;
  const value = numberAt(bytes, at, at + 2);
  return value >= min && value <= max;
};

/** `YYYY-MM-DDTHH:MM:SS.mmmZ` */
export const scanInstant = (bytes: Uint8Array, at: Position): Position => {
  if (at < 0) return NO;
  const good =
    twoDigits(bytes, at, 0, 99) &&
    twoDigits(bytes, at + 2, 0, 99) &&
    bytes[at + 4] === MINUS &&
    twoDigits(bytes, at + 5, 1, 12) &&
    bytes[at + 7] === MINUS &&
    twoDigits(bytes, at + 8, 1, 31) &&
    bytes[at + 10] === 0x54 &&
    twoDigits(bytes, at + 11, 0, 23) &&
    bytes[at + 13] === 0x3a &&
    twoDigits(bytes, at + 14, 0, 59) &&
    bytes[at + 16] === 0x3a &&
    twoDigits(bytes, at + 17, 0, 59) &&
    bytes[at + 19] === 0x2e &&
    twoDigits(bytes, at + 20, 0, 99) &&
    isDigit(bytes[at + 22]) &&
    bytes[at + 23] === 0x5a;
  return good ? at + 24 : NO;
};

/** Whether `[from, to)` holds exactly `expected`. */
export const isAt = (
  bytes: Uint8Array,
  from: Position,
  to: Position,
  expected: Uint8Array,
): boolean => to - from === expected.length && expectBytes(bytes, from, expected) === to;
