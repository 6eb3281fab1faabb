import { readField } from "./field.js";
import type { BodyStep } from "./model.js";

/** A chunk's size line with its extensions; far more than any sender needs. */
const MAX_SIZE_LINE_BYTES = 256;
/** All trailer lines together. They are read for their end and dropped. */
const MAX_TRAILER_BYTES = 8192;

const CR = 0x0d;
const LF = 0x0a;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED =
  '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
/** RFC 9112 §7.1.1 without its bad white space. 13 digits hold 2^52: arithmetic stays exact. */
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,13})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);

type State =
  | { readonly at: "size" }
  | { readonly at: "data"; remaining: number }
  | { readonly at: "data-end" }
  | { readonly at: "trailer" };

const REFUSED: BodyStep = { kind: "refused", reason: "FRAMING" };

/**
 * Decodes chunked coding (RFC 9112 §7.1). Guard: the content is sent on in chunks of the broker's
 * own making, so no size, extension, trailer or odd line end of a sender reaches the next
 * recipient; what isn't exactly the grammar ends the message.
 */
export const createChunkedReader = (): ((bytes: Uint8Array) => BodyStep) => {
  let state: State = { at: "size" };
  let line = "";
  let afterCr = false;
  let trailerBytes = 0;

  /** False where the line is none. Ends in CR LF only. */
  const onLine = (text: string): boolean | "end" => {
    switch (state.at) {
      case "size": {
        const [, digits] = SIZE_LINE.exec(text) ?? [];
        if (digits === undefined) {
          return false;
        }
        const size = Number.parseInt(digits, 16);
        state = size === 0 ? { at: "trailer" } : { at: "data", remaining: size };
        return true;
      }
      case "data-end":
        state = { at: "size" };
        return text === "";
      case "trailer":
        return text === "" ? "end" : readField(text) !== null;
      case "data":
        return false;
    }
  };

  const roomFor = (): number => {
    switch (state.at) {
      case "data-end":
        return 2;
      case "trailer":
        return MAX_TRAILER_BYTES - trailerBytes;
      case "size":
      case "data":
        return MAX_SIZE_LINE_BYTES;
    }
  };

  return (bytes) => {
    const data: Uint8Array[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (state.at === "data") {
        const end = Math.min(bytes.length, at + state.remaining);
        data.push(bytes.subarray(at, end));
        state.remaining -= end - at;
        at = end;
        if (state.remaining === 0) {
          state = { at: "data-end" };
        }
        continue;
      }
      const byte = bytes[at++] ?? 0;
      if (line.length >= roomFor() || !isLineByte(byte, afterCr)) {
        return REFUSED;
      }
      afterCr = byte === CR;
      if (byte !== LF) {
        line += String.fromCharCode(byte);
        continue;
      }
      if (state.at === "trailer") {
        trailerBytes += line.length + 1;
      }
      const outcome = onLine(line.slice(0, -1));
      line = "";
      if (outcome === false) {
        return REFUSED;
      }
      if (outcome === "end") {
        return { kind: "end", data, rest: bytes.subarray(at) };
      }
    }
    return { kind: "data", data };
  };
};

/** LF after CR and nothing else after CR; no other control byte but HTAB. */
const isLineByte = (byte: number, afterCr: boolean): boolean =>
  afterCr ? byte === LF : byte === CR || byte === 0x09 || (byte >= 0x20 && byte !== 0x7f);
