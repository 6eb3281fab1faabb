import { Buffer } from "node:buffer";

/**
 * Writes DNS messages, right ones and wrong ones, with code of its own: a mistake in the reader
 * can't hide behind the same mistake here.
 */
export const A = 1;
export const CNAME = 5;
export const SOA = 6;
export const TXT = 16;
export const AAAA = 28;
export const DNAME = 39;
export const OPT = 41;

export const NXDOMAIN = 3;
export const SERVFAIL = 2;
export const REFUSED = 5;

/** A name as text, or its bytes in the message where text can't say it. */
export type NameSpec = string | Uint8Array;

export interface RecordSpec {
  readonly owner: NameSpec;
  readonly type: number;
  readonly data: Uint8Array;
  readonly class?: number;
  readonly ttl?: number;
  /** Instead of the data's real length. */
  readonly length?: number;
}

/** What a response needs to know of its query. */
export interface QuestionSpec {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly class?: number;
}

export interface ResponseSpec {
  readonly answers?: readonly RecordSpec[];
  readonly authority?: readonly RecordSpec[];
  readonly additional?: readonly RecordSpec[];
  readonly rcode?: number;
  /** Bits added to a response's usual QR, RD and RA. */
  readonly flags?: number;
  /** Bits taken from them. */
  readonly without?: number;
  /** Counts instead of the real ones: question, answer, authority, additional. */
  readonly counts?: Partial<Record<0 | 1 | 2 | 3, number>>;
  /** Instead of the question that was asked. */
  readonly question?: Partial<QuestionSpec>;
  readonly trailing?: Uint8Array;
}

export const u16 = (value: number): Buffer => Buffer.of((value >> 8) & 0xff, value & 0xff);

/** Where a name begins that was compressed to a pointer (RFC 1035 §4.1.4). */
export const pointer = (offset: number): Buffer => u16(0xc000 | offset);

/** The question's name in the message: what compressed owners point to. */
export const QUESTION_NAME = pointer(12);

export const wireName = (text: NameSpec): Buffer =>
  typeof text === "string"
    ? Buffer.concat([
        ...text
          .split(".")
          .filter((label) => label !== "")
          .map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, "latin1")])),
        Buffer.of(0),
      ])
    : Buffer.from(text);

const ipv4 = (text: string): Buffer => Buffer.from(text.split(".").map(Number));

const ipv6 = (text: string): Buffer => {
  const [left = "", right = ""] = text.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right)];
  const middle = Array<number>(8 - head.length - tail.length).fill(0);
  return Buffer.concat([...head, ...middle, ...tail].map(u16));
};

export const a = (owner: NameSpec, address: string): RecordSpec => ({
  owner,
  type: A,
  data: ipv4(address),
});

export const aaaa = (owner: NameSpec, address: string): RecordSpec => ({
  owner,
  type: AAAA,
  data: ipv6(address),
});

export const cname = (owner: NameSpec, target: NameSpec): RecordSpec => ({
  owner,
  type: CNAME,
  data: wireName(target),
});

const record = ({ owner, type, data, ttl = 60, length, ...rest }: RecordSpec): Buffer =>
  Buffer.concat([
    wireName(owner),
    u16(type),
    u16(rest.class ?? 1),
    u16(ttl >> 16),
    u16(ttl),
    u16(length ?? data.length),
    data,
  ]);

export const response = (query: QuestionSpec, spec: ResponseSpec = {}): Buffer => {
  const { answers = [], authority = [], additional = [], counts = {} } = spec;
  const question = { ...query, ...spec.question };
  const flags = ((0x8180 | (spec.flags ?? 0)) & ~(spec.without ?? 0)) | (spec.rcode ?? 0);
  return Buffer.concat([
    u16(question.id),
    u16(flags),
    u16(counts[0] ?? 1),
    u16(counts[1] ?? answers.length),
    u16(counts[2] ?? authority.length),
    u16(counts[3] ?? additional.length),
    wireName(question.name),
    u16(question.type),
    u16(question.class ?? 1),
    ...[...answers, ...authority, ...additional].map(record),
    spec.trailing ?? Buffer.alloc(0),
  ]);
};
