import { CLASS_IN, FLAG, HEADER_BYTES, TYPE } from "./format.js";
import type { WireName } from "./wire-name.js";

export type Family = 4 | 6;

/** One question as it is sent. An answer has to repeat all of it, the case of letters included. */
export interface Question {
  readonly id: number;
  readonly name: WireName;
  readonly family: Family;
}

/** The type that asks for addresses of the family: A (RFC 1035), AAAA (RFC 3596). */
export const typeOf = (family: Family): number => {
  switch (family) {
    case 4:
      return TYPE.A;
    case 6:
      return TYPE.AAAA;
  }
};

/**
 * A question nobody off the path can foresee: 16 random bits of id, and one for the case of each
 * letter in the name (draft-vixie-dnsext-dns0x20; servers copy a question as it is).
 * `random(n)` gives n unpredictable bytes.
 */
export const drawQuestion = (
  name: WireName,
  family: Family,
  random: (bytes: number) => Uint8Array,
): Question => {
  const idBytes = random(2);
  const bits = random(Math.ceil(name.length / 8));
  const letters = [...name].map((character, at) => {
    const upper = ((bits[at >> 3] ?? 0) >> (at & 7)) & 1;
    return upper === 1 && /[a-z]/.test(character) ? character.toUpperCase() : character;
  });
  return {
    id: new DataView(Uint8Array.from(idBytes).buffer).getUint16(0),
    name: letters.join(""),
    family,
  };
};

/**
 * The query's bytes: recursion desired, one question, no EDNS. Without EDNS an answer is at most
 * 512 bytes over UDP, so it can't be fragmented (a way to forge its tail), a larger one comes over
 * TCP, and there are no options to parse.
 */
export const encodeQuery = ({ id, name, family }: Question): Uint8Array => {
  const bytes = new Uint8Array(HEADER_BYTES + name.length + 4);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, id);
  view.setUint16(2, FLAG.RD);
  view.setUint16(4, 1);
  for (let at = 0; at < name.length; at += 1) bytes[HEADER_BYTES + at] = name.charCodeAt(at);
  view.setUint16(HEADER_BYTES + name.length, typeOf(family));
  view.setUint16(HEADER_BYTES + name.length + 2, CLASS_IN);
  return bytes;
};
