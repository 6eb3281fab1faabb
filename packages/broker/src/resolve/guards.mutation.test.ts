import { describe, it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

/** Each guard of the resolver, replaced by one that lets pass, must turn its tests red. */
const GUARDS = [
  {
    what: "the echo of the question",
    module: "packages/broker/dist/resolve/answer/echoes.js",
    source: "export const echoes = () => true;",
    tests: "./resolver.test.js",
    pattern: "another id",
  },
  {
    what: "the case of the echo",
    module: "packages/broker/dist/resolve/answer/echoes.js",
    source: `export const echoes = (question, head) => head.id === question.id && head.isResponse &&
      head.name.toLowerCase() === question.name.toLowerCase();`,
    tests: "./resolver.test.js",
    pattern: "lost the question's case",
  },
  {
    what: "limits on size and number",
    module: "packages/broker/dist/resolve/answer/over-limit.js",
    source: "export const overLimit = () => false;",
    tests: "./resolver.test.js",
    pattern: "more than 512|flood of answers",
  },
  {
    what: "owners on the way from the name",
    module: "packages/broker/dist/resolve/answer/follow.js",
    source: `export const followAliases = (name, records) => ({ kind: "addresses", ttl: 60,
      addresses: records.flatMap(({ address }) => address === undefined ? [] : [address]) });`,
    tests: "./resolver.test.js",
    pattern: "another name's",
  },
  {
    what: "pointers that go back",
    module: "packages/broker/dist/resolve/message/read-name.js",
    // Bounded, so that the test ends: it takes every pointer for one to the name asked for.
    source: `export const readName = (message, start) => {
      for (let at = start, name = ""; at < message.length; ) {
        const head = message[at];
        if (head >= 0xc0) return { name: "\\x03www\\x07example\\x03com\\0", next: at + 2 };
        name += String.fromCharCode(...message.subarray(at, at + 1 + head));
        at += 1 + head;
        if (head === 0) return { name, next: at };
      }
      return null;
    };`,
    tests: "./resolver.test.js",
    pattern: "names loop",
  },
  {
    what: "the length of an address",
    module: "packages/broker/dist/resolve/message/read-address.js",
    source: "export const readAddress = (family, bytes) => ({ family, bytes });",
    tests: "./resolver.test.js",
    pattern: "a byte too many",
  },
  {
    what: "both families",
    module: "packages/broker/dist/resolve/lookup/settle.js",
    source: `export const settle = (v4, v6) => {
      const addresses = [...(v4.addresses ?? []), ...(v6.addresses ?? [])];
      return addresses.length > 0 ? { kind: "addresses", addresses, ttl: 60 } : null;
    };`,
    tests: "./resolver.test.js",
    pattern: "for AAAA alone",
  },
  {
    what: "an answer's age",
    module: "packages/broker/dist/resolve/keep/is-fresh.js",
    source: "export const isFresh = () => true;",
    tests: "./keep-answers.test.js",
    pattern: "once its time is over",
  },
  {
    what: "the time to live of an answer's records",
    module: "packages/broker/dist/resolve/keep/is-fresh.js",
    source: "export const isFresh = ({ askedAt }, at, maxAgeMs) => at - askedAt < maxAgeMs;",
    tests: "./keep-answers.test.js",
    pattern: "once its time is over",
  },
  {
    what: "the sender of a datagram",
    module: "packages/broker/dist/resolve/sockets/from-server.js",
    source: "export const fromServer = () => true;",
    tests: "./sockets/from-server.test.js",
    pattern: "a datagram is",
  },
] as const;

describe("without its guard a test fails", () => {
  for (const { what, module, source, tests, pattern } of GUARDS) {
    it(what, () => {
      const file = new URL(tests, import.meta.url);
      assertNoticed(file, [{ module, source }], pattern);
    });
  }
});
