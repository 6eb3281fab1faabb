import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { A, AAAA, a, aaaa, cname, NXDOMAIN, response } from "../testing/dns-message.js";
import {
  type DnsQuery,
  type DnsReply,
  SILENCE,
  send,
  startDnsServer,
} from "../testing/dns-server.js";
import { keepAnswers } from "./keep-answers.js";
import { shareLookups } from "./share-lookups.js";
import { HOST, never, outcome, resolverOf } from "./testing/ask.js";

const MAX_AGE_MS = 30_000;
const SHORT_MS = 200;

/** Another global address each time that A is asked; AAAA has none. */
const numbered =
  (ttl = 60) =>
  (query: DnsQuery): DnsReply =>
    send(
      response(query, {
        answers: query.type === A ? [{ ...a(query.name, `93.184.216.${query.nth + 1}`), ttl }] : [],
      }),
    );

const setUp = async (
  t: TestContext,
  script: (query: DnsQuery) => DnsReply,
  { maxAgeMs = MAX_AGE_MS, timeoutMs = 10_000 } = {},
) => {
  const server = await startDnsServer(t, script);
  const clock = { at: 1_000, now: () => clock.at };
  const resolver = keepAnswers(
    shareLookups(resolverOf([server], timeoutMs), clock),
    clock,
    maxAgeMs,
  );
  /** What a look-up comes to, whose it is, and how old. */
  const look = async (host = HOST) => {
    const resolution = await resolver.resolve(host, never);
    return [outcome(resolution), resolution.source, resolution.ageMs] as const;
  };
  return { server, clock, resolver, look };
};

describe("an answer", () => {
  it("is used again, with its age, and asked for anew once its time is over", async (t) => {
    const { server, clock, look } = await setUp(t, numbered(5));
    assert.deepEqual(await look(), ["93.184.216.1", "asked", 0]);
    clock.at += 4_999;
    assert.deepEqual(await look(), ["93.184.216.1", "kept", 4_999]);
    assert.equal(server.queries.length, 2);
    clock.at += 1;
    assert.deepEqual(await look(), ["93.184.216.2", "asked", 0]);
    assert.equal(server.queries.length, 4);
  });

  it("that lives for long is used no longer than the policy says", async (t) => {
    const { clock, look } = await setUp(t, numbered(0x7fff_ffff));
    await look();
    clock.at += MAX_AGE_MS - 1;
    assert.deepEqual(await look(), ["93.184.216.1", "kept", MAX_AGE_MS - 1]);
    clock.at += 1;
    assert.deepEqual(await look(), ["93.184.216.2", "asked", 0]);
  });

  it("isn't kept by a policy that says so", async (t) => {
    const { look } = await setUp(t, numbered(), { maxAgeMs: 0 });
    assert.deepEqual(await look(), ["93.184.216.1", "asked", 0]);
    assert.deepEqual(await look(), ["93.184.216.2", "asked", 0]);
  });

  it("has the age of its look-up's beginning: a slow one may be too old at once", async (t) => {
    const { clock, look } = await setUp(t, (query) => {
      if (query.type === AAAA && query.nth === 0) clock.at += 5_000;
      return numbered(5)(query);
    });
    assert.deepEqual(await look(), ["93.184.216.1", "asked", 0]);
    assert.deepEqual(await look(), ["93.184.216.2", "asked", 0]);
    clock.at += 1;
    assert.deepEqual(await look(), ["93.184.216.2", "kept", 1]);
  });

  it("of another name is never used", async (t) => {
    const { server, look } = await setUp(t, numbered());
    await look();
    assert.deepEqual(await look("other.example.com"), ["93.184.216.1", "asked", 0]);
    assert.equal(server.queries.length, 4);
  });

  it("is kept once for all who shared its look-up", async (t) => {
    const { server, clock, look } = await setUp(t, numbered());
    const sources = (await Promise.all([look(), look(), look()])).map(([, source]) => source);
    assert.deepEqual(sources.sort(), ["asked", "shared", "shared"]);
    clock.at += 7;
    assert.deepEqual(await look(), ["93.184.216.1", "kept", 7]);
    assert.equal(server.queries.length, 2);
  });

  it("is given to nobody who is aborted", async (t) => {
    const { resolver, look } = await setUp(t, numbered());
    await look();
    await assert.rejects(resolver.resolve(HOST, AbortSignal.abort(new Error("gone"))), /gone/);
  });
});

describe("what isn't kept", () => {
  const records =
    (of: (query: DnsQuery) => Parameters<typeof response>[1]) =>
    (query: DnsQuery): DnsReply =>
      send(response(query, of(query)));
  const global = (query: DnsQuery) =>
    query.type === A ? a(query.name, "93.184.216.34") : aaaa(query.name, "2606:2800:220:1::1");
  const ELSEWHERE = "elsewhere.example";

  const cases: readonly (readonly [string, (query: DnsQuery) => DnsReply, string])[] = [
    [
      "an A record without time to live",
      records((query) => ({ answers: [{ ...global(query), ttl: query.type === A ? 0 : 60 }] })),
      "93.184.216.34 38.6.40.0.2.32.0.1.0.0.0.0.0.0.0.1",
    ],
    [
      "an AAAA record without time to live",
      records((query) => ({ answers: [{ ...global(query), ttl: query.type === A ? 60 : 0 }] })),
      "93.184.216.34 38.6.40.0.2.32.0.1.0.0.0.0.0.0.0.1",
    ],
    [
      "an alias without time to live, on the way to nothing",
      records((query) => ({
        answers: query.type === A ? [global(query)] : [{ ...cname(query.name, ELSEWHERE), ttl: 0 }],
      })),
      "93.184.216.34",
    ],
    [
      "a global address beside a private one",
      records((query) => ({
        answers: query.type === A ? [global(query), a(query.name, "10.0.0.1")] : [],
      })),
      "93.184.216.34 10.0.0.1",
    ],
    [
      "a global address beside a private one of the other family",
      records((query) => ({
        answers: [query.type === A ? global(query) : aaaa(query.name, "fd00::1")],
      })),
      "93.184.216.34 253.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1",
    ],
    ["a name that doesn't exist", records(() => ({ rcode: NXDOMAIN })), "DNS_NO_NAME"],
    ["no address", records(() => ({})), "DNS_EMPTY"],
    [
      "an answer of one family alone",
      (query) =>
        query.type === A ? records((one) => ({ answers: [global(one)] }))(query) : SILENCE,
      "DNS_TIMEOUT",
    ],
  ];
  for (const [what, script, expected] of cases)
    it(`${what} is asked for each time`, async (t) => {
      const timeoutMs = expected === "DNS_TIMEOUT" ? SHORT_MS : 10_000;
      const { server, look } = await setUp(t, script, { timeoutMs });
      assert.deepEqual(await look(), [expected, "asked", 0]);
      const asked = server.queries.length;
      assert.deepEqual(await look(), [expected, "asked", 0]);
      assert.ok(server.queries.length >= 2 * Math.min(asked, 2));
    });

  it("a name that is set right is reached at once", async (t) => {
    const { look } = await setUp(t, (query) =>
      query.nth === 0 && query.type === A
        ? send(response(query, { answers: [a(query.name, "10.0.0.1")] }))
        : numbered()(query),
    );
    assert.deepEqual(await look(), ["10.0.0.1", "asked", 0]);
    assert.deepEqual(await look(), ["93.184.216.2", "asked", 0]);
  });

  it("once its time is over, an answer isn't used because no other comes", async (t) => {
    let silent = false;
    const { clock, look } = await setUp(t, (query) => (silent ? SILENCE : numbered(5)(query)), {
      timeoutMs: 1_000,
    });
    await look();
    silent = true;
    clock.at += 4_999;
    assert.deepEqual(await look(), ["93.184.216.1", "kept", 4_999]);
    clock.at += 1;
    assert.deepEqual(await look(), ["DNS_TIMEOUT", "asked", 0]);
  });
});
