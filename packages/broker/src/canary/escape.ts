/** What a text's own escapes stand for, at the start of some bytes. */
export type Escape =
  /** The bytes so far are the start of one. */
  | { readonly kind: "partial" }
  /** They are none and won't be. */
  | { readonly kind: "none" }
  | { readonly kind: "byte"; readonly byte: number }
  | { readonly kind: "break" };

/** One way of escaping characters in a text. */
export interface Escaping {
  /** The byte that each escape begins with. */
  readonly lead: number;
  /** Raw bytes that an escape takes up at most. */
  readonly widest: number;
  /**
   * Reads `length` bytes from `at`; the first is `lead`. Asked again with each further byte, it
   * says `none` as soon as a byte doesn't fit, so that only the last can be the next one's lead.
   */
  read(bytes: Uint8Array, at: number, length: number): Escape;
}

const PARTIAL: Escape = { kind: "partial" };
const NONE: Escape = { kind: "none" };
const BREAK: Escape = { kind: "break" };

/** No pattern has such a byte: it ends whatever began before. */
const FOREIGN: Escape = { kind: "byte", byte: 0xff };

const ASCII: readonly Escape[] = Array.from({ length: 0x80 }, (_, byte) => ({
  kind: "byte",
  byte,
}));

const byteOf = (code: number): Escape => ASCII[code] ?? FOREIGN;

const lowerCase = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);

/** @returns -1 for what is no hexadecimal digit. */
const hexDigit = (byte: number): number => {
  const lower = lowerCase(byte);
  if (lower >= 0x30 && lower <= 0x39) return lower - 0x30;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

const BACKSLASH = 0x5c;
const SMALL_N = 0x6e;
const SMALL_R = 0x72;
const SMALL_U = 0x75;
const SMALL_X = 0x78;

/** Strings of JSON (RFC 8259 §7), and `\x2b`, as JavaScript and logs have it. */
export const jsonEscaping: Escaping = {
  lead: BACKSLASH,
  widest: 6,
  read(bytes, at, length) {
    if (length === 1) return PARTIAL;
    const letter = bytes[at + 1] as number;
    switch (lowerCase(letter)) {
      case SMALL_U:
        return hexEscape(bytes, at, length, 6);
      case SMALL_X:
        return hexEscape(bytes, at, length, 4);
      case SMALL_N:
      case SMALL_R:
        return BREAK;
      default:
        return byteOf(letter);
    }
  },
};

const hexEscape = (bytes: Uint8Array, at: number, length: number, full: number): Escape => {
  let code = 0;
  for (let index = 2; index < Math.min(length, full); index += 1) {
    const digit = hexDigit(bytes[at + index] as number);
    if (digit < 0) return NONE;
    code = code * 16 + digit;
  }
  return length < full ? PARTIAL : byteOf(code);
};

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const NUMBER_SIGN = 0x23;

/**
 * Character references of HTML (§13.5 of its standard) and XML with their semicolon: by number, and
 * the names of printable ASCII characters.
 */
export const htmlEscaping: Escaping = {
  lead: AMPERSAND,
  /** `&lowbar;`, `&#x002b;` */
  widest: 8,
  read(bytes, at, length) {
    if (length === 1) return PARTIAL;
    const last = bytes[at + length - 1] as number;
    if (last !== SEMICOLON) {
      const fits = isAlphanumeric(last) || (last === NUMBER_SIGN && length === 2);
      return fits && length < htmlEscaping.widest ? PARTIAL : NONE;
    }
    return bytes[at + 1] === NUMBER_SIGN
      ? numbered(bytes, at + 2, at + length - 1)
      : (NAMED.get(packed(bytes, at + 1, at + length - 1)) ?? NONE);
  },
};

const numbered = (bytes: Uint8Array, from: number, to: number): Escape => {
  const isHex = lowerCase(bytes[from] as number) === SMALL_X;
  const base = isHex ? 16 : 10;
  const start = isHex ? from + 1 : from;
  let code = 0;
  for (let at = start; at < to; at += 1) {
    const digit = hexDigit(bytes[at] as number);
    if (digit < 0 || digit >= base) return NONE;
    code = code * base + digit;
  }
  return start < to ? byteOf(code) : NONE;
};

const isAlphanumeric = (byte: number): boolean => {
  const lower = lowerCase(byte);
  return (lower >= 0x30 && lower <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
};

/** A name as a number, whatever its case: up to six letters of five bits each. */
const packed = (bytes: Uint8Array, from: number, to: number): number => {
  let code = 0;
  for (let at = from; at < to; at += 1) {
    const letter = lowerCase(bytes[at] as number) - 0x60;
    if (letter < 1 || letter > 26) return 0;
    code = code * 32 + letter;
  }
  return code;
};

/** As the HTML standard lists them; of names for one character those that fit into `widest`. */
const NAMED: ReadonlyMap<number, Escape> = new Map(
  Object.entries({
    ...{ excl: "!", quot: '"', num: "#", dollar: "$", percnt: "%", amp: "&", apos: "'" },
    ...{ lpar: "(", rpar: ")", ast: "*", midast: "*", plus: "+", comma: ",", period: "." },
    ...{ sol: "/", colon: ":", semi: ";", lt: "<", equals: "=", gt: ">", quest: "?" },
    ...{ commat: "@", lsqb: "[", lbrack: "[", bsol: "\\", rsqb: "]", rbrack: "]", hat: "^" },
    ...{ lowbar: "_", grave: "`", lcub: "{", lbrace: "{", verbar: "|", vert: "|" },
    ...{ rcub: "}", rbrace: "}" },
  }).map(([name, letter]) => [
    packed(Buffer.from(name), 0, name.length),
    byteOf(letter.charCodeAt(0)),
  ]),
);
