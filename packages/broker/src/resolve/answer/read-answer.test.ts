import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import {
  A,
  AAAA,
  a,
  aaaa,
  CNAME,
  cname,
  DNAME,
  NXDOMAIN,
  OPT,
  pointer,
  QUESTION_NAME,
  REFUSED,
  type RecordSpec,
  type ResponseSpec,
  response,
  SERVFAIL,
  SOA,
  TXT,
  u16,
  wireName,
} from "../../testing/dns-message.js";
import { RESOLVER_LIMITS } from "../limits.js";
import type { Question } from "../message/question.js";
import type { Answer } from "./answer.js";
import type { Transport } from "./over-limit.js";
import { readAnswer } from "./read-answer.js";

const HOST = "www.example.com";
const SPELT = "wWw.ExaMPle.cOm";
const ID = 0x1234;

const ask = (message: Uint8Array, over: Transport = "udp", family: 4 | 6 = 4): Answer => {
  const question: Question = { id: ID, name: wireName(SPELT).toString("latin1"), family };
  return readAnswer(question, message, over, RESOLVER_LIMITS);
};
const reply = (spec: ResponseSpec = {}, type = A): Buffer =>
  response({ id: ID, name: SPELT, type }, spec);
const said = (answer: Answer): string => (answer.kind === "refused" ? answer.reason : answer.kind);
const texts = (answer: Answer): string[] =>
  answer.kind === "addresses" ? answer.addresses.map(({ bytes }) => bytes.join(".")) : [];

const ONE = a(HOST, "192.0.2.1");
const RIGHT: ResponseSpec = { answers: [ONE] };

/** A wrong message, and the right one it differs from in the one thing named. */
interface Case {
  readonly what: string;
  readonly wrong: Uint8Array;
  readonly says: string;
  readonly right?: Uint8Array;
  readonly rightSays?: string;
  readonly over?: Transport;
  readonly family?: 4 | 6;
}

const check = (cases: readonly Case[]): void => {
  for (const { what, wrong, says, right = reply(RIGHT), over, family, ...rest } of cases) {
    it(what, () => {
      const answer = ask(wrong, over, family);
      assert.equal(said(answer), says);
      assert.deepEqual(texts(answer), []);
      const control = ask(right, over, family);
      assert.equal(said(control), rest.rightSays ?? "addresses");
      if (rest.rightSays === undefined) assert.notDeepEqual(texts(control), []);
    });
  }
};

describe("a message that isn't to the question proves nothing", () => {
  const other = (question: ResponseSpec["question"]): Buffer =>
    reply({ ...RIGHT, ...(question === undefined ? {} : { question }) });
  check([
    { what: "another id", wrong: other({ id: ID ^ 1 }), says: "unrelated" },
    { what: "a query", wrong: reply({ ...RIGHT, without: 0x8000 }), says: "unrelated" },
    { what: "another opcode", wrong: reply({ ...RIGHT, flags: 0x0800 }), says: "unrelated" },
    { what: "the name in lower case", wrong: other({ name: HOST }), says: "unrelated" },
    {
      what: "one letter in the other case",
      wrong: other({ name: SPELT.replace("w", "W") }),
      says: "unrelated",
    },
    { what: "another name", wrong: other({ name: "wWw.ExaMPle.oRg" }), says: "unrelated" },
    { what: "another type", wrong: other({ type: AAAA }), says: "unrelated" },
    { what: "another class", wrong: other({ class: 3 }), says: "unrelated" },
    { what: "no question", wrong: reply({ ...RIGHT, counts: { 0: 0 } }), says: "unrelated" },
    { what: "two questions", wrong: reply({ ...RIGHT, counts: { 0: 2 } }), says: "unrelated" },
    { what: "less than a header", wrong: reply(RIGHT).subarray(0, 11), says: "unrelated" },
  ]);
});

describe("a server that has no answer", () => {
  check([
    { what: "fails", wrong: reply({ rcode: SERVFAIL }), says: "failed" },
    {
      what: "fails, whatever it adds",
      wrong: reply({ ...RIGHT, rcode: SERVFAIL }),
      says: "failed",
    },
    { what: "refuses", wrong: reply({ rcode: REFUSED }), says: "failed" },
    { what: "knows no such name", wrong: reply({ rcode: NXDOMAIN }), says: "no-name" },
    {
      what: "knows no such name behind an alias",
      wrong: reply({ rcode: NXDOMAIN, answers: [cname(HOST, "b.example")] }),
      says: "no-name",
    },
    {
      what: "knows no such name and its address",
      wrong: reply({ ...RIGHT, rcode: NXDOMAIN }),
      says: "DNS_MALFORMED",
    },
    {
      what: "has more than a datagram holds",
      wrong: reply({ ...RIGHT, flags: 0x0200 }),
      says: "truncated",
    },
    {
      what: "has more than a datagram holds, and cut it within a record",
      wrong: reply({ ...RIGHT, flags: 0x0200 }).subarray(0, 40),
      says: "truncated",
    },
    {
      what: "calls a message over TCP truncated",
      wrong: reply({ ...RIGHT, flags: 0x0200 }),
      says: "DNS_MALFORMED",
      over: "tcp",
    },
  ]);
});

describe("a malformed message is refused", () => {
  const answers = (...records: readonly RecordSpec[]): Buffer => reply({ answers: records });
  const inBytes = (owner: Uint8Array): Buffer => answers({ ...ONE, owner });
  const alias = (data: Uint8Array, length?: number): Buffer =>
    answers(
      { owner: HOST, type: CNAME, data, ...(length === undefined ? {} : { length }) },
      a("b.example", "192.0.2.1"),
    );
  const target = wireName("b.example");
  check([
    { what: "the reserved bit", wrong: reply({ ...RIGHT, flags: 0x40 }), says: "DNS_MALFORMED" },
    {
      what: "a byte after the last record",
      wrong: reply({ ...RIGHT, trailing: Buffer.of(0) }),
      says: "DNS_MALFORMED",
    },
    {
      what: "fewer records than counted",
      wrong: reply({ ...RIGHT, counts: { 1: 2 } }),
      says: "DNS_MALFORMED",
    },
    {
      what: "more records than counted",
      wrong: reply({ answers: [ONE, ONE], counts: { 1: 1 } }),
      says: "DNS_MALFORMED",
      right: reply({ answers: [ONE, ONE] }),
    },
    { what: "another class", wrong: answers({ ...ONE, class: 3 }), says: "DNS_MALFORMED" },
    {
      what: "another class in another section",
      wrong: reply({ ...RIGHT, authority: [{ ...ONE, class: 3 }] }),
      says: "DNS_MALFORMED",
      right: reply({ ...RIGHT, authority: [ONE] }),
    },
    {
      what: "an EDNS option that nobody asked for",
      wrong: reply({ ...RIGHT, additional: [{ owner: "", type: OPT, data: Buffer.alloc(0) }] }),
      says: "DNS_MALFORMED",
      right: reply({ ...RIGHT, additional: [{ owner: "", type: TXT, data: Buffer.alloc(0) }] }),
    },
    ...[0, 3, 5, 16].map((length) => ({
      what: `an A record of ${length} bytes`,
      wrong: answers({ ...ONE, data: Buffer.alloc(length) }),
      says: "DNS_MALFORMED",
      right: answers({ ...ONE, data: Buffer.alloc(4) }),
    })),
    ...[0, 4, 15, 17].map((length) => ({
      what: `an AAAA record of ${length} bytes`,
      wrong: reply({ answers: [{ owner: HOST, type: AAAA, data: Buffer.alloc(length) }] }, AAAA),
      says: "DNS_MALFORMED",
      right: reply({ answers: [{ owner: HOST, type: AAAA, data: Buffer.alloc(16) }] }, AAAA),
      family: 6 as const,
    })),
    {
      what: "data that ends beyond the message",
      wrong: answers({ ...ONE, length: 5 }),
      says: "DNS_MALFORMED",
    },
    {
      what: "an alias that ends before its data",
      wrong: alias(Buffer.concat([target, Buffer.of(0)])),
      says: "DNS_MALFORMED",
      right: alias(target),
    },
    {
      what: "an alias that ends after its data",
      wrong: alias(target, target.length - 1),
      says: "DNS_MALFORMED",
      right: alias(target),
    },
    {
      what: "an owner that points to itself",
      wrong: inBytes(pointer(12 + wireName(SPELT).length + 4)),
      says: "DNS_MALFORMED",
      right: inBytes(QUESTION_NAME),
    },
    {
      what: "an owner that points forward",
      wrong: inBytes(pointer(60)),
      says: "DNS_MALFORMED",
      right: inBytes(QUESTION_NAME),
    },
    {
      what: "an alias that points into its own data",
      wrong: alias(Buffer.concat([u16(0x0161), pointer(12 + 17 + 4 + 17 + 10)])),
      says: "DNS_MALFORMED",
      right: alias(target),
    },
  ]);

  it("cut off at any byte", () => {
    const whole = reply({ answers: [cname(HOST, "b.example"), a("b.example", "192.0.2.1")] });
    assert.equal(said(ask(whole)), "addresses");
    for (let cut = 0; cut < whole.length; cut += 1) {
      assert.notEqual(said(ask(whole.subarray(0, cut))), "addresses", `cut at ${cut}`);
    }
  });
});

describe("only the aliases that start at the name lead to an address", () => {
  const b = a("b.example", "192.0.2.1");
  const answers = (...records: readonly RecordSpec[]): Buffer => reply({ answers: records });
  const dname = (owner: string): RecordSpec => ({
    owner,
    type: DNAME,
    data: wireName("example"),
  });
  check([
    {
      what: "an address of another name",
      wrong: answers(a("www.example.org", "192.0.2.1")),
      says: "DNS_MALFORMED",
    },
    {
      what: "an address of another name beside the right one",
      wrong: answers(ONE, a("www.example.org", "192.0.2.1")),
      says: "DNS_MALFORMED",
      right: answers(ONE, a(HOST, "192.0.2.2")),
    },
    {
      what: "an alias of another name",
      wrong: answers(cname("c.example", "b.example"), b),
      says: "DNS_MALFORMED",
      right: answers(cname(HOST, "b.example"), b),
    },
    {
      what: "an address in another section",
      wrong: reply({ answers: [cname(HOST, "b.example")], additional: [b] }),
      says: "addresses",
      right: answers(cname(HOST, "b.example"), b),
    },
    {
      what: "two aliases of one name",
      wrong: answers(cname(HOST, "b.example"), cname(HOST, "c.example"), b),
      says: "DNS_MALFORMED",
      right: answers(cname(HOST, "b.example"), b),
    },
    {
      what: "an alias and an address of one name",
      wrong: answers(cname(HOST, "b.example"), ONE, b),
      says: "DNS_MALFORMED",
      right: answers(cname(HOST, "b.example"), b),
    },
    {
      what: "an alias to itself",
      wrong: answers(cname(HOST, HOST)),
      says: "DNS_MALFORMED",
    },
    {
      what: "aliases in a circle",
      wrong: answers(cname(HOST, "b.example"), cname("b.example", HOST)),
      says: "DNS_MALFORMED",
      right: answers(cname(HOST, "c.example"), cname("c.example", "b.example"), b),
    },
    {
      what: "an address of the other family",
      wrong: answers(ONE, aaaa(HOST, "2001:db8::1")),
      says: "DNS_MALFORMED",
    },
    {
      what: "a record of another type",
      wrong: answers(ONE, { owner: HOST, type: TXT, data: Buffer.of(0) }),
      says: "DNS_MALFORMED",
    },
    {
      what: "a redirection of names elsewhere",
      wrong: answers(dname("example.org"), ONE),
      says: "DNS_MALFORMED",
      right: answers(dname("example.com"), ONE),
    },
    {
      what: "a redirection of the name itself",
      wrong: answers(dname(HOST), ONE),
      says: "DNS_MALFORMED",
      right: answers(dname("com"), ONE),
    },
  ]);

  it("a redirection by itself leads nowhere, with its alias beside it to the alias's target", () => {
    assert.deepEqual(texts(ask(answers(dname("com"), a("www.example", "192.0.2.9")))), []);
    assert.deepEqual(
      texts(ask(answers(dname("com"), cname(HOST, "www.example"), a("www.example", "192.0.2.9")))),
      ["192.0.2.9"],
    );
  });

  it("a name without an address of the family is a complete answer, also behind an alias", () => {
    const authority = [{ owner: "example", type: SOA, data: Buffer.alloc(22) }];
    for (const [records, ttl] of [
      [[], Number.POSITIVE_INFINITY],
      [[cname(HOST, "b.example")], 60],
    ] as const) {
      const answer = ask(reply({ answers: records, authority }));
      assert.deepEqual(answer, { kind: "addresses", addresses: [], ttl });
    }
  });

  it("it lives as long as its shortest record on the way, aliases and redirections included", () => {
    const alias = cname(HOST, "b.example");
    const end = a("b.example", "192.0.2.1");
    const ttlOf = (...records: RecordSpec[]): number => {
      const answer = ask(answers(...records));
      return answer.kind === "addresses" ? answer.ttl : -1;
    };
    assert.equal(ttlOf({ ...alias, ttl: 9 }, { ...end, ttl: 7 }), 7);
    assert.equal(ttlOf({ ...alias, ttl: 7 }, { ...end, ttl: 9 }), 7);
    assert.equal(ttlOf(alias, { ...end, ttl: 9 }, { ...a("b.example", "192.0.2.2"), ttl: 3 }), 3);
    assert.equal(ttlOf({ ...dname("com"), ttl: 5 }, alias, end), 5);
    assert.equal(ttlOf({ ...ONE, ttl: 0x7fff_ffff }), 0x7fff_ffff);
    // RFC 2181 §8.
    assert.equal(ttlOf({ ...ONE, ttl: 0x8000_0000 }), 0);
    // Records that aren't of the answer section don't count.
    const other = { ...a("c.example", "192.0.2.3"), ttl: 1 };
    const answer = ask(reply({ answers: [ONE], additional: [other] }));
    assert.deepEqual(answer.kind === "addresses" && answer.ttl, 60);
  });

  it("owners are compared without case, and the order of records doesn't matter", () => {
    const answer = ask(
      answers(a("B.eXample", "192.0.2.1"), cname(HOST.toUpperCase(), "b.Example")),
    );
    assert.deepEqual(texts(answer), ["192.0.2.1"]);
  });
});

describe("more than the limits allow is refused", () => {
  const many = (count: number): Buffer =>
    reply({
      answers: Array.from({ length: count }, (_, n) => ({
        ...a("", `192.0.2.${n}`),
        owner: QUESTION_NAME,
      })),
    });
  const aliases = (count: number): Buffer => {
    const name = (n: number): string => (n === 0 ? HOST : `n${n}.example`);
    const way = Array.from({ length: count }, (_, n) => cname(name(n), name(n + 1)));
    return reply({ answers: [...way, a(name(count), "192.0.2.1")] });
  };
  const padded = (bytes: number): Buffer => {
    const bare = reply({ ...RIGHT, additional: [{ owner: "", type: TXT, data: Buffer.of() }] });
    const data = Buffer.alloc(bytes - bare.length);
    return reply({ ...RIGHT, additional: [{ owner: "", type: TXT, data }] });
  };
  const { maxAnswers, maxAliases, maxMessageBytes } = RESOLVER_LIMITS;
  check([
    {
      what: "records",
      wrong: many(maxAnswers + 1),
      says: "DNS_TOO_MANY",
      right: many(maxAnswers),
      over: "tcp",
    },
    ...(["authority", "additional"] as const).map((section) => ({
      what: `records in the ${section} section`,
      wrong: reply({ ...RIGHT, [section]: Array(maxAnswers + 1).fill(ONE) }),
      says: "DNS_TOO_MANY",
      right: reply({ ...RIGHT, [section]: Array(maxAnswers).fill(ONE) }),
      over: "tcp" as const,
    })),
    {
      what: "records that are only counted",
      wrong: reply({ ...RIGHT, counts: { 1: 0xffff } }),
      says: "DNS_TOO_MANY",
    },
    {
      what: "aliases",
      wrong: aliases(maxAliases + 1),
      says: "DNS_TOO_MANY",
      right: aliases(maxAliases),
    },
    {
      what: "bytes of a datagram",
      wrong: padded(513),
      says: "DNS_TOO_MANY",
      right: padded(512),
    },
    {
      what: "bytes of a message",
      wrong: padded(maxMessageBytes + 1),
      says: "DNS_TOO_MANY",
      right: padded(maxMessageBytes),
      over: "tcp",
    },
  ]);
});

it("an address shares no memory with the message it came in", () => {
  const message = reply(RIGHT);
  const answer = ask(message);
  message.fill(0);
  assert.deepEqual(texts(answer), ["192.0.2.1"]);
});
