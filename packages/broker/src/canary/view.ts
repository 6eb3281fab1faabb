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
  /** Raw bytes that one byte of a pattern takes at most. */
  readonly width: number;
  /** Raw bytes that the start of a pattern may take up so far; 0 below `minimum` of its bytes. */
  undecided(minimum: number): number;
}

export type Found = (pattern: number, end: number) => void;

/** `%41`, or a byte and CRLF. */
const WIDE = 3;
/** A text's own escapes: `&#x002b;`, or `\u002b` and an escaped CRLF. */
const WIDE_ESCAPED = Math.max(htmlEscaping.widest, jsonEscaping.widest + 4);

/** @param longest bytes of the longest pattern. */
export const createViews = (automaton: Automaton, longest: number): readonly View[] => [
  createPlainView(automaton),
  createPercentView(automaton),
  createLinesView(automaton),
  createEscapedView(automaton, longest, "json", jsonEscaping),
  createEscapedView(automaton, longest, "html", htmlEscaping),
];

const createPlainView = (automaton: Automaton): View => {
  let state = 0;
  return {
    layer: "none",
    width: 1,
    read(bytes, from, to, found) {
      state = advance(automaton, state, bytes, from, to, found);
    },
    reset() {
      state = 0;
    },
    undecided: (minimum) => held(depthOf(automaton, state), minimum, 1),
  };
};

/** Over bytes as they are. @returns the state behind them. */
const advance = (
  automaton: Automaton,
  state: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  found: Found,
): number => {
  const { column, next, accepting } = automaton;
  let now = state;
  for (let index = from; index < to; index += 1) {
    now = next[now + (column[bytes[index] as number] as number)] as number;
    if (now >= accepting) report(automaton, now, index + 1, found);
  }
  return now;
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
    width: WIDE,
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
    width: WIDE,
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
const createEscapedView = (
  automaton: Automaton,
  longest: number,
  layer: CanaryLayer,
  escaping: Escaping,
): View => {
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

  /** Bytes of which none begins an escape: what lies within them is for the plain view to see. */
  const readUnescaped = (bytes: Uint8Array, from: number, to: number, found: Found): void => {
    // What began before has ended, one way or the other, when the longest pattern would have.
    const decided = state === 0 ? from : Math.min(from + longest, to);
    state = advance(automaton, state, bytes, from, decided, found);
    const rest = Math.max(decided, to - longest);
    if (rest > decided) state = 0;
    state = advance(automaton, state, bytes, rest, to, found);
  };

  return {
    layer,
    width: WIDE_ESCAPED,
    read(bytes, from, to, found) {
      const upTo = bytes.subarray(0, to);
      for (let index = from; index < to; ) {
        const byte = bytes[index] as number;
        if (length > 0 || breaks > 0 || byte === escaping.lead) {
          readByte(byte, index + 1, found);
          index += 1;
          continue;
        }
        const lead = upTo.indexOf(escaping.lead, index);
        const end = lead < 0 ? to : lead;
        readUnescaped(bytes, index, end, found);
        index = end;
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
