import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { A, a, response } from "../testing/dns-message.js";
import { type DnsQuery, SILENCE, send, startDnsServer } from "../testing/dns-server.js";
import { JOIN_WITHIN_MS, shareLookups } from "./share-lookups.js";
import { HOST, never, outcome, resolverOf, socketsTo } from "./testing/ask.js";

const OTHER = "other.example.com";
const MANY = 50;

const numbered = (query: DnsQuery) =>
  send(
    response(query, {
      answers: query.type === A ? [a(query.name, `192.0.2.${query.nth + 1}`)] : [],
    }),
  );

const clockAt = (start: number) => {
  const clock = { at: start, now: () => clock.at };
  return clock;
};

describe("look-ups for the same name", () => {
  it("at the same time ask once, and one of them counts the questions", async (t) => {
    const server = await startDnsServer(t, numbered);
    const resolver = shareLookups(resolverOf([server]), clockAt(0));
    const found = await Promise.all(
      Array.from({ length: MANY }, () => resolver.resolve(HOST, new AbortController().signal)),
    );
    assert.deepEqual(new Set(found.map(outcome)), new Set(["192.0.2.1"]));
    assert.equal(server.queries.length, 2);
    assert.equal(
      found.reduce((sum, { queries }) => sum + queries, 0),
      2,
    );
    assert.equal(found.filter(({ source }) => source === "asked").length, 1);
    assert.equal(found.filter(({ source }) => source === "shared").length, MANY - 1);
  });

  it("one after the other ask each: nothing is kept", async (t) => {
    const server = await startDnsServer(t, numbered);
    const resolver = shareLookups(resolverOf([server]), clockAt(0));
    assert.equal(outcome(await resolver.resolve(HOST, never)), "192.0.2.1");
    assert.equal(outcome(await resolver.resolve(HOST, never)), "192.0.2.2");
    assert.equal(server.queries.length, 4);
  });

  it("aren't shared by another name", async (t) => {
    const server = await startDnsServer(t, numbered);
    const resolver = shareLookups(resolverOf([server]), clockAt(0));
    await Promise.all([resolver.resolve(HOST, never), resolver.resolve(OTHER, never)]);
    assert.deepEqual(server.queries.map(({ host }) => host).sort(), [OTHER, OTHER, HOST, HOST]);
  });

  it("join only what has just begun", async (t) => {
    const server = await startDnsServer(t, numbered);
    const clock = clockAt(1_000);
    const resolver = shareLookups(resolverOf([server]), clock);
    const first = resolver.resolve(HOST, never);
    clock.at += JOIN_WITHIN_MS;
    const joined = resolver.resolve(HOST, never);
    clock.at += 1;
    const late = resolver.resolve(HOST, never);
    assert.equal((await first).queries, 2);
    assert.equal((await joined).queries, 0);
    assert.equal((await late).queries, 2);
    assert.equal(server.queries.length, 4);
  });

  it("share what refuses", async (t) => {
    const server = await startDnsServer(t, (query) => send(response(query)));
    const resolver = shareLookups(resolverOf([server]), clockAt(0));
    const found = await Promise.all([resolver.resolve(HOST, never), resolver.resolve(HOST, never)]);
    assert.deepEqual(found.map(outcome), ["DNS_EMPTY", "DNS_EMPTY"]);
    assert.equal(server.queries.length, 2);
  });
});

describe("whoever is aborted", () => {
  it("leaves the others their look-up, and the last ends it", { timeout: 20_000 }, async (t) => {
    let arrived = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await startDnsServer(t, () => {
      arrived();
      return SILENCE;
    });
    const resolver = shareLookups(resolverOf([server], 60_000), clockAt(0));
    const [one, two] = [new AbortController(), new AbortController()];
    const first = resolver.resolve(HOST, one.signal);
    const second = resolver.resolve(HOST, two.signal);
    await waiting;
    one.abort(new Error("one"));
    await assert.rejects(first, /one/);
    assert.ok(socketsTo(server) > 0);
    two.abort(new Error("two"));
    assert.equal(socketsTo(server), 0);
    await assert.rejects(second, /two/);
    await assert.rejects(resolver.resolve(HOST, one.signal), /one/);
  });

  it("isn't joined once it has ended", async (t) => {
    let silent = true;
    const server = await startDnsServer(t, (query) => (silent ? SILENCE : numbered(query)));
    const resolver = shareLookups(resolverOf([server]), clockAt(0));
    const stop = new AbortController();
    const first = resolver.resolve(HOST, stop.signal);
    const gone = assert.rejects(first, /gone/);
    stop.abort(new Error("gone"));
    silent = false;
    const found = await resolver.resolve(HOST, never);
    assert.equal(found.kind, "addresses");
    await gone;
  });
});
