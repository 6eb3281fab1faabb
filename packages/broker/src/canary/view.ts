import type { Automaton } from "./automaton.js";
import type { CanaryLayer } from "./canary.js";

/** A stream as an automaton sees it once a layer is taken off. */
export interface View {
  readonly layer: CanaryLayer;
  /** @param found gets the pattern's index and the offset behind it within `bytes`. */
  read(bytes: Uint8Array, found: (pattern: number, end: number) => void): void;
  undecided(minimum: number): number;
}

export const createView = (automaton: Automaton, layer: CanaryLayer): View => {
  switch (layer) {
    case "none":
      return createPlainView(automaton);
    case "percent":
      return createPercentView(automaton);
    case "lines":
      return createLinesView(automaton);
  }
};

const report = (
  automaton: Automaton,
  state: number,
  end: number,
  found: (pattern: number, end: number) => void,
): void => {
  for (const pattern of automaton.ends[state] ?? []) found(pattern, end);
};

const createPlainView = (automaton: Automaton): View => {
  const { column, columns, next, depth, ends } = automaton;
  let state = 0;
  return {
    layer: "none",
    read(bytes, found) {
      let now = state;
      for (let index = 0; index < bytes.length; index += 1) {
        now = next[now * columns + (column[bytes[index] as number] as number)] as number;
        if (now !== 0 && ends[now] !== null) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    undecided: (minimum) => {
      const length = depth[state] ?? 0;
      return length < minimum ? 0 : length;
    },
  };
};

const CR = 0x0d;
const LF = 0x0a;

/** RFC 2045 §6.8 and PEM break encoded text into lines. */
const createLinesView = (automaton: Automaton): View => {
  const { column, columns, next, depth, ends } = automaton;
  let state = 0;
  /** Line breaks in a row. More than one CRLF separates texts instead of lines. */
  let breaks = 0;
  return {
    layer: "lines",
    read(bytes, found) {
      let now = state;
      for (let index = 0; index < bytes.length; index += 1) {
        const byte = bytes[index] as number;
        if (byte === LF || byte === CR) {
          breaks += 1;
          if (breaks > 2) now = 0;
          continue;
        }
        breaks = 0;
        now = next[now * columns + (column[byte] as number)] as number;
        if (now !== 0 && ends[now] !== null) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    // At most two line breaks for each byte of the pattern.
    undecided: (minimum) => {
      const length = depth[state] ?? 0;
      return length < minimum ? 0 : 3 * length;
    },
  };
};

const PERCENT = 0x25;

/** Whichever characters are escaped (RFC 3986 §2.1): a form encoder escapes more than a path's. */
const createPercentView = (automaton: Automaton): View => {
  const { column, columns, next, depth, ends } = automaton;
  let state = 0;
  /** Bytes of an escape read so far: 0 none, 1 `%`, 2 `%` and a digit. */
  let escaped = 0;
  let high = 0;
  return {
    layer: "percent",
    read(bytes, found) {
      let now = state;
      for (let index = 0; index < bytes.length; index += 1) {
        let byte = bytes[index] as number;
        if (byte === PERCENT) {
          escaped = 1;
          continue;
        }
        if (escaped > 0) {
          const digit = HEX[byte] as number;
          if (digit < 0) {
            // Not an escape: what was held is in no pattern's way but as a separator.
            escaped = 0;
            now = 0;
          } else if (escaped === 1) {
            high = digit;
            escaped = 2;
            continue;
          } else {
            escaped = 0;
            byte = high * 16 + digit;
          }
        }
        now = next[now * columns + (column[byte] as number)] as number;
        if (now !== 0 && ends[now] !== null) report(automaton, now, index + 1, found);
      }
      state = now;
    },
    undecided: (minimum) => {
      const length = depth[state] ?? 0;
      return length < minimum ? 0 : 3 * length + 2;
    },
  };
};

const HEX = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? -1 : value;
});
