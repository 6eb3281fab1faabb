import fc from "fast-check";
import {
  A,
  a,
  cname,
  pointer,
  QUESTION_NAME,
  type RecordSpec,
  response,
  wireName,
} from "../../testing/dns-message.js";
import type { Question } from "../message/question.js";

const HOST = "www.example.com";

export const QUESTION: Question = {
  id: 0x1234,
  name: wireName(HOST).toString("latin1"),
  family: 4,
};

/** A right answer to `QUESTION`, and the addresses it holds, sorted. */
export interface SampleAnswer {
  readonly message: Uint8Array;
  readonly addresses: readonly string[];
}

/** Aliases, then addresses, in any order, with and without compressed owners. */
export const sampleAnswer: fc.Arbitrary<SampleAnswer> = fc
  .record({
    aliases: fc.nat(8),
    hosts: fc.uniqueArray(fc.nat(255), { maxLength: 12 }),
    compress: fc.boolean(),
    order: fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
  })
  .map(({ aliases, hosts, compress, order }) => {
    const name = (n: number): string => (n === 0 ? HOST : `n${n}.example.com`);
    const owner = (n: number) => {
      if (!compress) return name(n);
      // "example.com" within the question, after "www" and its length.
      return n === 0 ? QUESTION_NAME : Buffer.concat([label(`n${n}`), pointer(16)]);
    };
    const addresses = hosts.map((host) => `192.0.2.${host}`);
    const records: RecordSpec[] = [
      ...Array.from({ length: aliases }, (_, n) => cname(owner(n), owner(n + 1))),
      ...addresses.map((address) => a(owner(aliases), address)),
    ];
    const shuffled = records
      .map((record, at) => ({ record, rank: order[at] ?? 0 }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ record }) => record);
    return {
      message: response({ id: QUESTION.id, name: HOST, type: A }, { answers: shuffled }),
      addresses: addresses.sort(),
    };
  });

const label = (text: string): Buffer =>
  Buffer.concat([Buffer.of(text.length), Buffer.from(text, "latin1")]);

const seldom = fc.oneof(
  { weight: 9, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.nat() },
);

/** The same with up to four bytes overwritten, and some cut off or doubled. */
export const mutatedAnswer: fc.Arbitrary<Uint8Array> = fc
  .record({
    sample: sampleAnswer,
    writes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    cut: seldom,
    doubled: seldom,
  })
  .map(({ sample, writes, cut, doubled }) => {
    const bytes = Buffer.from(sample.message);
    for (const [at, value] of writes) bytes[at % bytes.length] = value;
    const shorter = cut === null ? bytes : bytes.subarray(0, cut % bytes.length);
    if (doubled === null || shorter.length === 0) return shorter;
    return Buffer.concat([shorter, shorter.subarray(doubled % shorter.length)]);
  });
