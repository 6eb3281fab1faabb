import { type Automaton, depthOf, endsOf } from "./automaton.js";
import type { CanaryLayer } from "./canary.js";

/** A stream as an automaton sees it once a layer is taken off. */
export interface View {
  readonly layer: CanaryLayer;
  /**
   * Reads `bytes` from `from` up to `to`, which follow what was read before.
   * @param found gets the pattern's index and the offset behind its last byte.
   */
  read(bytes: Uint8Array, from: number, to: number, found: Found): void;
  /** Forgets what was read before. */
  reset(): void;
  /** Raw bytes that the start of a pattern may take up so far; 0 below `minimum` of its bytes. */
  undecided(minimum: number): number;
}

export type Found = (pattern: number, end: number) => void;

/** Raw bytes that one byte of a pattern takes at most, in any view: `%41`, or a byte and CRLF. */
export const WIDEST = 3;

export const createViews = (automaton: Automaton): readonly View[] => [
  createPlainView(automaton),
  createPercentView(automaton),
  createLinesView(automaton),
];

const createPlainView = (automaton: Automaton): View => {
  const { column, next, accepting } = automaton;
  let state = 0;
  return {
    layer: "none",
    read(bytes, from, to, found) {
      let now = state;
      for (let index = from; index < to; index += 1) {
        now = next[now + (column[bytes[index] as number] as number)] as number;
        if (now >= accepting) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    reset() {
      state = 0;
    },
    undecided: (minimum) => held(depthOf(automaton, state), minimum, 1),
  };
};

const CR = 0x0d;
const LF = 0x0a;

/** RFC 2045 §6.8 and PEM break encoded text into lines. */
const createLinesView = (automaton: Automaton): View => {
  const { column, next, accepting } = automaton;
  let state = 0;
  /** Line breaks in a row. More than one CRLF separates texts instead of lines. */
  let breaks = 0;
  return {
    layer: "lines",
    read(bytes, from, to, found) {
      let now = state;
      for (let index = from; index < to; index += 1) {
        const byte = bytes[index] as number;
        if (byte === LF || byte === CR) {
          breaks += 1;
          if (breaks > 2) now = 0;
          continue;
        }
        breaks = 0;
        now = next[now + (column[byte] as number)] as number;
        if (now >= accepting) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    reset() {
      state = 0;
      breaks = 0;
    },
    undecided: (minimum) => held(depthOf(automaton, state), minimum, WIDEST),
  };
};

const PERCENT = 0x25;

/** Whichever characters are escaped (RFC 3986 §2.1): a form encoder escapes more than a path's. */
const createPercentView = (automaton: Automaton): View => {
  const { column, next, accepting } = automaton;
  let state = 0;
  /** Bytes of an escape read so far: 0 none, 1 `%`, 2 `%` and a digit. */
  let escaped = 0;
  let high = 0;
  return {
    layer: "percent",
    read(bytes, from, to, found) {
      let now = state;
      for (let index = from; index < to; index += 1) {
        let byte = bytes[index] as number;
        if (byte === PERCENT) {
          escaped = 1;
          continue;
        }
        if (escaped > 0) {
          const digit = HEX[byte] as number;
          if (digit >= 0 && escaped === 1) {
            high = digit;
            escaped = 2;
            continue;
          }
          if (digit >= 0) byte = high * 16 + digit;
          // A lone % ends whatever began before it.
          else now = 0;
          escaped = 0;
        }
        now = next[now + (column[byte] as number)] as number;
        if (now >= accepting) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    reset() {
      state = 0;
      escaped = 0;
    },
    undecided: (minimum) => held(depthOf(automaton, state), minimum, WIDEST),
  };
};

/** Two more bytes: of an escape, or of the line break behind. */
const held = (depth: number, minimum: number, width: number): number =>
  depth < minimum ? 0 : depth * width + (width === 1 ? 0 : 2);

const report = (automaton: Automaton, state: number, end: number, found: Found): void => {
  for (const pattern of endsOf(automaton, state)) found(pattern, end);
};

const HEX = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return digit;
});
