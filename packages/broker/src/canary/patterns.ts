import type { CanaryEncoding } from "./canary.js";

/** One byte sequence that betrays a value, lower case: the search ignores ASCII case. */
export interface Pattern {
  readonly encoding: CanaryEncoding;
  readonly bytes: Uint8Array;
}

/**
 * Every form in which a value is searched for. Base64 and base32 (RFC 4648) depend on how many
 * bytes stand before the value, so there is one form for each alignment, cut to the characters
 * that no neighbour can change.
 */
export const patternsOf = (value: string): readonly Pattern[] => {
  const bytes = Buffer.from(value, "latin1");
  return [
    pattern("plain", value),
    pattern("utf-16", interleaveNul(value)),
    pattern("hex", bytes.toString("hex")),
    ...[0, 1, 2].flatMap((before) => {
      const text = stable(base64(bytes, before), before, bytes.length, 6);
      return [text, urlSafe(text)].map((form) => pattern("base64", form));
    }),
    ...[0, 1, 2, 3, 4].map((before) =>
      pattern("base32", stable(base32(bytes, before), before, bytes.length, 5)),
    ),
  ];
};

const pattern = (encoding: CanaryEncoding, text: string): Pattern => ({
  encoding,
  bytes: Uint8Array.from(Buffer.from(text.toLowerCase(), "latin1")),
});

/** Without the last NUL, so that one form serves both byte orders. */
const interleaveNul = (value: string): string => [...value].join("\0");

const urlSafe = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_");

const base64 = (bytes: Uint8Array, before: number): string =>
  Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");

/** Cuts the characters that also hold bits of the bytes before or behind the value. */
const stable = (text: string, before: number, length: number, bits: number): string =>
  text.slice(Math.ceil((before * 8) / bits), Math.floor(((before + length) * 8) / bits));

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const base32 = (bytes: Uint8Array, before: number): string => {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of Buffer.concat([Buffer.alloc(before), bytes])) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
  }
  return text;
};
