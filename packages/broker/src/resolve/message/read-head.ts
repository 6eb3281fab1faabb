import { FLAG, HEADER_BYTES, OPCODE_MASK, RCODE_MASK } from "./format.js";
import { readName } from "./read-name.js";
import { viewOf } from "./view.js";
import type { WireName } from "./wire-name.js";

/** Everything of a message before its records. */
export interface MessageHead {
  readonly id: number;
  readonly isResponse: boolean;
  readonly opcode: number;
  readonly truncated: boolean;
  /** RFC 6895 §2: reserved, zero. */
  readonly reserved: boolean;
  readonly rcode: number;
  readonly counts: SectionCounts;
  /** As the message spells it. */
  readonly name: WireName;
  readonly type: number;
  readonly class: number;
  /** Where the records begin. */
  readonly next: number;
}

export interface SectionCounts {
  readonly answer: number;
  readonly authority: number;
  readonly additional: number;
}

/** Header and question (RFC 1035 §4.1.1, §4.1.2). Null unless there is exactly one, readable. */
export const readHead = (message: Uint8Array): MessageHead | null => {
  if (message.length < HEADER_BYTES) return null;
  const view = viewOf(message);
  if (view.getUint16(4) !== 1) return null;
  const question = readName(message, HEADER_BYTES);
  if (question === null || question.next + 4 > message.length) return null;
  const flags = view.getUint16(2);
  return {
    id: view.getUint16(0),
    isResponse: (flags & FLAG.QR) !== 0,
    opcode: (flags & OPCODE_MASK) >> 11,
    truncated: (flags & FLAG.TC) !== 0,
    reserved: (flags & FLAG.Z) !== 0,
    rcode: flags & RCODE_MASK,
    counts: {
      answer: view.getUint16(6),
      authority: view.getUint16(8),
      additional: view.getUint16(10),
    },
    name: question.name,
    type: view.getUint16(question.next),
    class: view.getUint16(question.next + 2),
    next: question.next + 4,
  };
};
