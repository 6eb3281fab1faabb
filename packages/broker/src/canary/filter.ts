import type { Automaton } from "./automaton.js";
import { type Escape, type Escaping, htmlEscaping, jsonEscaping } from "./escape.js";

/**
 * Tells cheaply where a sighting can be at all. Each occurrence of a pattern holds runs of four
 * bytes; looking for those at every `stride`-th offset finds one inside of every occurrence, and
 * nearly nothing else. Escapes hide such runs, so each `%` and two digits counts as well, and each
 * escape of JSON and HTML that begins a run: whichever is the first in an occurrence does, or has
 * enough of it before.
 */
export interface Filter {
  /**
   * Offsets that something may be around, ascending. Each call gives the next one that is `from`
   * or more, `bytes.length` when there is none; `from` must grow.
   */
  offsetsIn(bytes: Uint8Array): (from: number) => number;
}

const RUN = 4;
const HASH_BITS = 20;

/** @param patterns lower case, each at least 12 bytes. */
export const createFilter = (
  patterns: readonly Uint8Array[],
  { column, columns }: Automaton,
): Filter => {
  const shortest = patterns.reduce((least, { length }) => Math.min(least, length), 1 << 16);
  // A line break somewhere in it leaves one half unbroken.
  const stride = Math.max(1, Math.floor(shortest / 2) - RUN + 1);
  const known = new Uint32Array(1 << (HASH_BITS - 5));

  const hashAt = (bytes: Uint8Array, at: number): number => {
    let code = 0;
    for (let index = at; index < at + RUN; index += 1) {
      code = Math.imul(code, columns) + (column[bytes[index] as number] as number);
    }
    return Math.imul(code, 0x9e3779b1) >>> (32 - HASH_BITS);
  };
  for (const bytes of patterns) {
    for (let at = 0; at + RUN <= bytes.length; at += 1) {
      const hash = hashAt(bytes, at);
      known[hash >>> 5] = (known[hash >>> 5] ?? 0) | (1 << (hash & 31));
    }
  }

  const isKnown = (bytes: Uint8Array, at: number): boolean => {
    const hash = hashAt(bytes, at);
    return ((known[hash >>> 5] as number) & (1 << (hash & 31))) !== 0;
  };

  const nextRun = (bytes: Uint8Array, from: number): number => {
    const last = bytes.length - RUN;
    for (let at = Math.ceil(from / stride) * stride; at <= last; at += stride) {
      // Most bytes of most traffic are in no pattern.
      if (column[bytes[at] as number] === 0) continue;
      if (isKnown(bytes, at)) return at;
    }
    return bytes.length;
  };

  const isUsed = (byte: number): boolean => column[byte] !== 0;
  const sources = [
    nextRun,
    nextPercent,
    createNextEscape(jsonEscaping, isUsed, isKnown),
    createNextEscape(htmlEscaping, isUsed, isKnown),
  ];
  return {
    offsetsIn(bytes) {
      // Kept until passed: each is looked for once, however near the others' offsets are.
      const ahead = sources.map(() => -1);
      return (from) => {
        let nearest = bytes.length;
        for (const [index, next] of sources.entries()) {
          let at = ahead[index] as number;
          if (at < from) at = next(bytes, from);
          ahead[index] = at;
          if (at < nearest) nearest = at;
        }
        return nearest;
      };
    },
  };
};

/** What is cut by the end of the bytes isn't told: what stands there is read anyway. */
const createNextEscape = (
  escaping: Escaping,
  isUsed: (byte: number) => boolean,
  isKnown: (run: Uint8Array, at: number) => boolean,
): ((bytes: Uint8Array, from: number) => number) => {
  const run = new Uint8Array(RUN);
  return (bytes, from) => {
    let at = bytes.indexOf(escaping.lead, from);
    while (at >= 0) {
      const { taken, length } = readEscape(escaping, bytes, at);
      // Quotes, brackets and ampersands, which most escapes stand for, are in few patterns.
      const canBegin = taken.kind === "byte" && isUsed(taken.byte);
      if (canBegin && takeRun(escaping, bytes, at, run) && isKnown(run, 0)) return at;
      // Behind the whole of it: the second of two backslashes begins none.
      at = bytes.indexOf(escaping.lead, at + length);
    }
    return bytes.length;
  };
};

/** Fills `run` with what stands from `at` on once escapes are taken off; false when too little does. */
const takeRun = (escaping: Escaping, bytes: Uint8Array, from: number, run: Uint8Array): boolean => {
  let at = from;
  for (let filled = 0; filled < run.length; ) {
    if (at >= bytes.length) return false;
    const byte = bytes[at] as number;
    if (byte !== escaping.lead) {
      run[filled++] = byte;
      at += 1;
      continue;
    }
    const { taken, length } = readEscape(escaping, bytes, at);
    if (taken.kind === "byte") run[filled++] = taken.byte;
    else if (taken.kind !== "break") run[filled++] = byte;
    at += length;
  }
  return true;
};

/** What begins at `at`, and how many bytes it takes: one, when it is no escape. */
const readEscape = (
  escaping: Escaping,
  bytes: Uint8Array,
  at: number,
): { readonly taken: Escape; readonly length: number } => {
  const widest = Math.min(escaping.widest, bytes.length - at);
  for (let length = 1; length <= widest; length += 1) {
    const taken = escaping.read(bytes, at, length);
    if (taken.kind === "none") return { taken, length: 1 };
    if (taken.kind !== "partial") return { taken, length };
  }
  return { taken: { kind: "none" }, length: 1 };
};

const PERCENT = 0x25;

const nextPercent = (bytes: Uint8Array, from: number): number => {
  let at = bytes.indexOf(PERCENT, from);
  while (at >= 0) {
    if (isHexDigit(bytes[at + 1]) && isHexDigit(bytes[at + 2])) return at;
    at = bytes.indexOf(PERCENT, at + 1);
  }
  return bytes.length;
};

const isHexDigit = (byte = 0): boolean => {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
};
