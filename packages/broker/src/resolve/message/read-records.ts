import type { IpAddress } from "../../address/address.js";
import { CLASS_IN, TYPE } from "./format.js";
import type { Family } from "./question.js";
import { readAddress } from "./read-address.js";
import type { MessageHead } from "./read-head.js";
import { readName } from "./read-name.js";
import { viewOf } from "./view.js";
import { foldCase, type WireName } from "./wire-name.js";

/** One record of the answer section. The owner's name is folded. */
export type AnswerRecord = RecordData & {
  readonly owner: WireName;
  /** How long it may be kept, in seconds. */
  readonly ttl: number;
};

type RecordData =
  | { readonly kind: "address"; readonly address: IpAddress }
  /** `target` is folded. */
  | { readonly kind: "alias"; readonly target: WireName }
  | { readonly kind: "redirection" }
  | { readonly kind: "other" };

/** Type, class, TTL and length, before the data (RFC 1035 §4.1.3). */
const FIXED_BYTES = 10;

/** RFC 2181 §8: what has the highest bit set is to be taken for zero. */
const MAX_TTL = 0x7fff_ffff;

/**
 * All records after the head, of which the answer section's are returned. Null when any record of
 * any section is cut off or not of class IN, when data isn't exactly what its type needs, and when
 * bytes remain.
 */
export const readRecords = (
  message: Uint8Array,
  { next, counts }: MessageHead,
  family: Family,
): readonly AnswerRecord[] | null => {
  const view = viewOf(message);
  const total = counts.answer + counts.authority + counts.additional;
  const answers: AnswerRecord[] = [];
  let at = next;
  for (let index = 0; index < total; index += 1) {
    const owner = readName(message, at);
    if (owner === null || owner.next + FIXED_BYTES > message.length) return null;
    const type = view.getUint16(owner.next);
    const start = owner.next + FIXED_BYTES;
    const end = start + view.getUint16(owner.next + 8);
    if (end > message.length || view.getUint16(owner.next + 2) !== CLASS_IN) return null;
    // RFC 6891 §7: none in an answer to a query that had none.
    if (type === TYPE.OPT) return null;
    if (index < counts.answer) {
      const record = readData(message, type, start, end, family);
      if (record === null) return null;
      const ttl = view.getUint32(owner.next + 4);
      answers.push({ ...record, owner: foldCase(owner.name), ttl: ttl > MAX_TTL ? 0 : ttl });
    }
    at = end;
  }
  return at === message.length ? answers : null;
};

const readData = (
  message: Uint8Array,
  type: number,
  start: number,
  end: number,
  family: Family,
): RecordData | null => {
  const isAddress = family === 4 ? TYPE.A : TYPE.AAAA;
  switch (type) {
    case isAddress: {
      const address = readAddress(family, message.subarray(start, end));
      return address === null ? null : { kind: "address", address };
    }
    case TYPE.CNAME: {
      const target = readName(message, start);
      if (target === null || target.next !== end) return null;
      return { kind: "alias", target: foldCase(target.name) };
    }
    case TYPE.DNAME:
      return { kind: "redirection" };
    default:
      return { kind: "other" };
  }
};
