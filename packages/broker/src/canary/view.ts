import { type Automaton, depthOf, endsOf } from "./automaton.js";
import type { CanaryLayer } from "./canary.js";
import { type Escaping, htmlEscaping, jsonEscaping } from "./escape.js";

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

/** Raw bytes that one byte of a pattern takes at most: `%41`, or a byte and CRLF. */
const WIDE = 3;
/** The same for a text's own escapes: `&#x002b;`, or `\u002b` and an escaped CRLF. */
const WIDE_ESCAPED = Math.max(htmlEscaping.widest, jsonEscaping.widest + 4);
/** The same in any view. */
export const WIDEST = WIDE_ESCAPED;

export const createViews = (automaton: Automaton): readonly View[] => [
  createPlainView(automaton),
  createPercentView(automaton),
  createLinesView(automaton),
  createEscapedView(automaton, "json", jsonEscaping),
  createEscapedView(automaton, "html", htmlEscaping),
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
    undecided: (minimum) => held(depthOf(automaton, state), minimum, WIDE),
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
    undecided: (minimum) => held(depthOf(automaton, state), minimum, WIDE),
  };
};

/** Whichever characters are escaped: encoders differ, and some escape base64's `/` and `+`. */
const createEscapedView = (automaton: Automaton, layer: CanaryLayer, escaping: Escaping): View => {
  const { column, next, accepting } = automaton;
  let state = 0;
  /** An escape that isn't whole yet. */
  const pending = new Uint8Array(escaping.widest);
  let length = 0;
  /** As in lines: base64 in a string of JSON has escaped line breaks. */
  let breaks = 0;

  const step = (byte: number, end: number, found: Found): void => {
    breaks = 0;
    state = next[state + (column[byte] as number)] as number;
    if (state >= accepting) report(automaton, state, end, found);
  };
  const readEscape = (end: number, found: Found): void => {
    const taken = escaping.read(pending, 0, length);
    switch (taken.kind) {
      case "partial":
        return;
      case "byte":
        length = 0;
        step(taken.byte, end, found);
        return;
      case "break":
        length = 0;
        breaks += 1;
        if (breaks > 2) state = 0;
        return;
      case "none": {
        const last = pending[length - 1] as number;
        for (let at = 0; at < length - 1; at += 1)
          step(pending[at] as number, end - length + at + 1, found);
        length = 0;
        readByte(last, end, found);
      }
    }
  };
  const readByte = (byte: number, end: number, found: Found): void => {
    if (length === 0 && byte !== escaping.lead) {
      step(byte, end, found);
    } else {
      pending[length] = byte;
      length += 1;
      readEscape(end, found);
    }
  };

  return {
    layer,
    read(bytes, from, to, found) {
      for (let index = from; index < to; index += 1) {
        const byte = bytes[index] as number;
        if (length > 0 || breaks > 0 || byte === escaping.lead) {
          readByte(byte, index + 1, found);
        } else {
          // Most bytes; readByte does the same with a call for each.
          state = next[state + (column[byte] as number)] as number;
          if (state >= accepting) report(automaton, state, index + 1, found);
        }
      }
    },
    reset() {
      state = 0;
      length = 0;
      breaks = 0;
    },
    undecided: (minimum) => held(depthOf(automaton, state), minimum, WIDE_ESCAPED),
  };
};

/** And what there is of one more byte: a part of its escape, or the line break behind. */
const held = (depth: number, minimum: number, width: number): number =>
  depth < minimum ? 0 : depth * width + width - 1;

const report = (automaton: Automaton, state: number, end: number, found: Found): void => {
  for (const pattern of endsOf(automaton, state)) found(pattern, end);
};

const HEX = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return digit;
});
