import type { Automaton } from "./automaton.js";

/**
 * Tells cheaply where a sighting can be at all. Each occurrence of a pattern holds runs of four
 * bytes; looking for those at every `stride`-th offset finds one inside of every occurrence, and
 * nearly nothing else. Escapes hide such runs, so each `%` and two digits counts as well.
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

  const nextRun = (bytes: Uint8Array, from: number): number => {
    const last = bytes.length - RUN;
    for (let at = Math.ceil(from / stride) * stride; at <= last; at += stride) {
      // Most bytes of most traffic are in no pattern.
      if (column[bytes[at] as number] === 0) continue;
      const hash = hashAt(bytes, at);
      if (((known[hash >>> 5] as number) & (1 << (hash & 31))) !== 0) return at;
    }
    return bytes.length;
  };

  return {
    offsetsIn(bytes) {
      // Kept until passed: each is looked for once, however near the other's offsets are.
      let run = -1;
      let escaped = -1;
      return (from) => {
        if (run < from) run = nextRun(bytes, from);
        if (escaped < from) escaped = nextEscape(bytes, from);
        return Math.min(run, escaped);
      };
    },
  };
};

const PERCENT = 0x25;

const nextEscape = (bytes: Uint8Array, from: number): number => {
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
