import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it, test } from "node:test";
import {
  A,
  AAAA,
  a,
  aaaa,
  cname,
  NXDOMAIN,
  pointer,
  QUESTION_NAME,
  type RecordSpec,
  response,
  SERVFAIL,
  u16,
} from "../testing/dns-message.js";
import {
  type DnsQuery,
  type DnsReply,
  SILENCE,
  send,
  startDnsServer,
} from "../testing/dns-server.js";
import { RESOLVER_LIMITS } from "./limits.js";
import { HOST, never, outcome, PATIENT_MS, resolverOf, socketsTo } from "./testing/ask.js";

type Script = (query: DnsQuery) => DnsReply;

const V4 = "192.0.2.1";
const ONE = a(HOST, V4);

/** Answers A as the test says, and AAAA by an empty answer. */
const onA =
  (script: Script): Script =>
  (query) =>
    query.type === A ? script(query) : send(response(query));

const right: Script = onA((query) => send(response(query, { answers: [ONE] })));

/** Truncated over UDP, so that the script's answer is the one over TCP. */
const onTcp = (script: Script): Script =>
  onA((query) => (query.over === "udp" ? send(response(query, { flags: 0x0200 })) : script(query)));

describe("a look-up", () => {
  it("asks for A and AAAA, once each, and returns all addresses of both", async (t) => {
    const server = await startDnsServer(t, (query) =>
      send(
        response(query, {
          answers: query.type === A ? [ONE, a(HOST, "192.0.2.2")] : [aaaa(HOST, "2001:db8::1")],
        }),
      ),
    );
    const found = await resolverOf([server]).resolve(HOST, never);
    assert.equal(outcome(found), `${V4} 192.0.2.2 32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1`);
    assert.equal(found.queries, 2);
    assert.equal(socketsTo(server), 0);
    assert.deepEqual(server.queries.map(({ host, type, over }) => [host, type, over]).sort(), [
      [HOST, A, "udp"],
      [HOST, AAAA, "udp"],
    ]);
    for (const { bytes } of server.queries) {
      // Recursion desired and nothing else; one question and no other record, so no EDNS.
      assert.equal(bytes.subarray(2, 12).toString("hex"), "01000001000000000000");
    }
  });

  it("asks from a port of its own, with an id and a case that can't be foreseen", async (t) => {
    const server = await startDnsServer(t, right);
    const resolver = resolverOf([server]);
    for (let n = 0; n < 20; n += 1) await resolver.resolve(HOST, never);
    const different = (of: (query: DnsQuery) => unknown) => new Set(server.queries.map(of)).size;
    assert.equal(server.queries.length, 40);
    assert.equal(
      different(({ host }) => host),
      1,
    );
    // By chance some may be equal; of 40 the same in six would be once in millions of runs.
    for (const of of [
      ({ id }: DnsQuery) => id,
      ({ name }: DnsQuery) => name,
      ({ sourcePort }: DnsQuery) => sourcePort,
    ]) {
      assert.ok(different(of) > 34, `${different(of)}`);
    }
  });

  it("keeps nothing: a name that is rebound has its new addresses in the next look-up", async (t) => {
    const answers = [V4, "127.0.0.1"];
    const server = await startDnsServer(
      t,
      onA((query) => send(response(query, { answers: [a(HOST, answers[query.nth] ?? "")] }))),
    );
    const resolver = resolverOf([server]);
    assert.equal(outcome(await resolver.resolve(HOST, never)), V4);
    assert.equal(outcome(await resolver.resolve(HOST, never)), "127.0.0.1");
    assert.equal(server.queries.length, 4);
  });

  it("hides no address that its caller has to judge", async (t) => {
    const hiding: [string, Script, string][] = [
      [
        "one good and one bad",
        onA((query) => send(response(query, { answers: [ONE, a(HOST, "10.0.0.1")] }))),
        `${V4} 10.0.0.1`,
      ],
      [
        "good A and bad AAAA",
        (query) => send(response(query, { answers: [query.type === A ? ONE : aaaa(HOST, "::1")] })),
        `${V4} ${"0.".repeat(15)}1`,
      ],
      [
        "an alias to a private address",
        onA((query) =>
          send(
            response(query, { answers: [cname(HOST, "b.example"), a("b.example", "10.0.0.1")] }),
          ),
        ),
        "10.0.0.1",
      ],
    ];
    for (const [what, script, addresses] of hiding) {
      const server = await startDnsServer(t, script);
      assert.equal(outcome(await resolverOf([server]).resolve(HOST, never)), addresses, what);
    }
  });

  it("of a name without a dot, or no name, asks nobody", async (t) => {
    const server = await startDnsServer(t, right);
    for (const host of ["localhost", "", "127.0.0.1x", "www.Example.com"]) {
      const found = await resolverOf([server]).resolve(host, never);
      if (host !== "127.0.0.1x") assert.equal(outcome(found), "NAME_INVALID", host);
    }
    assert.deepEqual([...new Set(server.queries.map(({ host }) => host))], ["127.0.0.1x"]);
  });
});

describe("a look-up is refused", () => {
  const many = (count: number): RecordSpec[] =>
    Array.from({ length: count }, (_, n) => ({ ...a("", `192.0.2.${n}`), owner: QUESTION_NAME }));
  const manyTexts = (count: number): string =>
    Array.from({ length: count }, (_, n) => `192.0.2.${n}`).join(" ");
  const guesses = (count: number, query: DnsQuery): Buffer[] =>
    Array.from({ length: count }, (_, n) =>
      response({ ...query, id: (query.id + 1 + n) & 0xffff }, { answers: [a(HOST, "192.0.2.66")] }),
    );

  /** What the server does, and the same but for one thing, with what each comes to. */
  const cases: {
    what: string;
    wrong: Script;
    reason: string;
    right?: Script;
    addresses?: string;
    /** The wrong one is refused by nothing but the end of time. */
    waits?: true;
  }[] = [
    {
      what: "when the name doesn't exist",
      wrong: (query) => send(response(query, { rcode: NXDOMAIN })),
      reason: "DNS_NO_NAME",
    },
    {
      what: "when it has no address",
      wrong: (query) => send(response(query)),
      reason: "DNS_EMPTY",
    },
    { what: "when the server is silent", wrong: () => SILENCE, waits: true, reason: "DNS_TIMEOUT" },
    {
      what: "when it is silent for AAAA alone",
      wrong: (query) => (query.type === A ? right(query) : SILENCE),
      waits: true,
      reason: "DNS_TIMEOUT",
    },
    {
      what: "when it fails for AAAA alone",
      wrong: (query) =>
        query.type === A ? right(query) : send(response(query, { rcode: SERVFAIL })),
      reason: "DNS_FAILED",
    },
    {
      what: "when the answer has another id",
      wrong: onA((query) => send(response({ ...query, id: query.id ^ 1 }, { answers: [ONE] }))),
      waits: true,
      reason: "DNS_MALFORMED",
    },
    {
      what: "when the answer lost the question's case",
      wrong: onA((query) => send(response({ ...query, name: HOST }, { answers: [ONE] }))),
      waits: true,
      reason: "DNS_MALFORMED",
    },
    {
      what: "when the answer comes from another port",
      wrong: onA((query) => ({
        kind: "send",
        messages: [response(query, { answers: [ONE] })],
        fromElsewhere: true,
      })),
      waits: true,
      reason: "DNS_TIMEOUT",
      right: onA((query) => ({
        kind: "send",
        messages: [response(query, { answers: [ONE] })],
        fromElsewhere: false,
      })),
    },
    {
      what: "when somebody guesses",
      wrong: onA((query) =>
        send(
          ...guesses(RESOLVER_LIMITS.maxUnrelated + 1, query),
          response(query, { answers: [ONE] }),
        ),
      ),
      reason: "DNS_MALFORMED",
      right: onA((query) =>
        send(...guesses(RESOLVER_LIMITS.maxUnrelated, query), response(query, { answers: [ONE] })),
      ),
    },
    {
      what: "when an address is another name's",
      wrong: onA((query) =>
        send(response(query, { answers: [ONE, a("www.example.org", "192.0.2.66")] })),
      ),
      reason: "DNS_MALFORMED",
    },
    {
      what: "when an address has a byte too many",
      wrong: onA((query) =>
        send(response(query, { answers: [{ ...ONE, data: Buffer.of(...ONE.data, 0) }] })),
      ),
      reason: "DNS_MALFORMED",
    },
    {
      what: "when names loop",
      wrong: onA((query) => {
        const self = pointer(12 + query.name.length + 2 + 4);
        return send(response(query, { answers: [{ ...ONE, owner: self }] }));
      }),
      reason: "DNS_MALFORMED",
      right: onA((query) => send(response(query, { answers: [{ ...ONE, owner: QUESTION_NAME }] }))),
    },
    {
      what: "when a datagram holds more than 512 bytes",
      wrong: onA((query) => send(response(query, { answers: many(30) }))),
      reason: "DNS_TOO_MANY",
      right: onA((query) => send(response(query, { answers: many(29) }))),
      addresses: manyTexts(29),
    },
    {
      what: "when a flood of answers comes over TCP",
      wrong: onTcp((query) => send(response(query, { answers: many(65) }))),
      reason: "DNS_TOO_MANY",
      right: onTcp((query) => send(response(query, { answers: many(64) }))),
      addresses: manyTexts(64),
    },
    {
      what: "when a message over TCP is announced longer than the limit",
      wrong: onTcp((query) => ({
        kind: "raw",
        bytes: Buffer.concat([u16(0xffff), response(query, { answers: [ONE] })]),
      })),
      reason: "DNS_TOO_MANY",
      right: onTcp((query) => {
        const message = response(query, { answers: [ONE] });
        return { kind: "raw", bytes: Buffer.concat([u16(message.length), message]) };
      }),
    },
    {
      what: "when a message over TCP ends early",
      wrong: onTcp((query) => {
        const message = response(query, { answers: [ONE] });
        return { kind: "raw", bytes: Buffer.concat([u16(message.length + 1), message]) };
      }),
      reason: "DNS_FAILED",
      right: onTcp((query) => {
        const message = response(query, { answers: [ONE] });
        return { kind: "raw", bytes: Buffer.concat([u16(message.length), message]) };
      }),
    },
    {
      what: "when the connection ends without an answer",
      wrong: onTcp(() => ({ kind: "hang-up" })),
      reason: "DNS_FAILED",
      right: onTcp((query) => send(response(query, { answers: [ONE] }))),
    },
    {
      what: "when the connection hangs",
      wrong: onTcp(() => SILENCE),
      waits: true,
      reason: "DNS_TIMEOUT",
      right: onTcp((query) => send(response(query, { answers: [ONE] }))),
    },
    {
      what: "when an answer over TCP is to another question",
      wrong: onTcp((query) => send(response({ ...query, id: query.id ^ 1 }, { answers: [ONE] }))),
      reason: "DNS_MALFORMED",
      right: onTcp((query) => send(response(query, { answers: [ONE] }))),
    },
    {
      what: "when an answer over TCP is truncated again",
      wrong: onTcp((query) => send(response(query, { flags: 0x0200 }))),
      reason: "DNS_MALFORMED",
      right: onTcp((query) => send(response(query, { answers: [ONE] }))),
    },
  ];
  for (const { what, wrong, reason, right: control = right, addresses = V4, waits } of cases) {
    it(what, async (t) => {
      const [bad, good] = [await startDnsServer(t, wrong), await startDnsServer(t, control)];
      const denied = await resolverOf([bad], waits ? 600 : PATIENT_MS).resolve(HOST, never);
      assert.equal(outcome(denied), reason);
      assert.equal(socketsTo(bad), 0);
      assert.equal(denied.queries, bad.queries.length);
      assert.equal(outcome(await resolverOf([good]).resolve(HOST, never)), addresses);
    });
  }

  it("when time is over, and not later", async (t) => {
    const server = await startDnsServer(t, () => SILENCE);
    const began = process.hrtime.bigint();
    const denied = await resolverOf([server], 200).resolve(HOST, never);
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    assert.equal(outcome(denied), "DNS_TIMEOUT");
    assert.ok(ms >= 190 && ms < 200 + 2000, `${ms} ms`);
    assert.ok(denied.ms >= 190 && denied.ms <= ms + 1, `${denied.ms} ms`);
  });
});

describe("servers", () => {
  it("beyond the first aren't asked while it answers", async (t) => {
    const [first, second] = [await startDnsServer(t, right), await startDnsServer(t, right)];
    assert.equal(outcome(await resolverOf([first, second]).resolve(HOST, never)), V4);
    assert.deepEqual([first.queries.length, second.queries.length], [2, 0]);
  });

  const failing: [string, Script][] = [
    ["fails", (query) => send(response(query, { rcode: SERVFAIL }))],
    ["is silent", () => SILENCE],
    ["hangs up", onTcp(() => ({ kind: "hang-up" }))],
  ];
  for (const [what, script] of failing) {
    it(`one that ${what} is followed by the next`, async (t) => {
      const [first, second] = [await startDnsServer(t, script), await startDnsServer(t, right)];
      assert.equal(outcome(await resolverOf([first, second]).resolve(HOST, never)), V4);
      assert.ok(second.queries.length > 0);
      assert.equal(outcome(await resolverOf([second]).resolve(HOST, never)), V4);
    });
  }

  it("one that isn't there is followed by the next, or is a failure", async (t) => {
    const [gone, second] = [await startDnsServer(t, right), await startDnsServer(t, right)];
    await gone.close();
    assert.equal(outcome(await resolverOf([gone, second]).resolve(HOST, never)), V4);
    const denied = await resolverOf([gone]).resolve(HOST, never);
    assert.equal(outcome(denied), "DNS_FAILED");
    assert.ok(denied.ms < PATIENT_MS / 2);
  });

  it("a lost datagram is sent again", async (t) => {
    const server = await startDnsServer(t, (query) => (query.nth === 0 ? SILENCE : right(query)));
    assert.equal(outcome(await resolverOf([server]).resolve(HOST, never)), V4);
    assert.equal(server.queries.length, 4);
  });

  it("are IP addresses without a zone, and at least one", () => {
    for (const address of ["dns.example.com", "fe80::1%lo", "127.1", ""]) {
      assert.throws(() => resolverOf([{ address, port: 53 }]), { code: "EGRESS_RESOLVERS" });
    }
    assert.throws(() => resolverOf([]), { code: "EGRESS_RESOLVERS" });
    assert.doesNotThrow(() => resolverOf([{ address: "2001:db8::35", port: 53 }]));
  });
});

describe("over TCP", () => {
  it("an answer may come byte by byte", async (t) => {
    const server = await startDnsServer(
      t,
      onTcp((query) => ({
        kind: "send",
        messages: [response(query, { answers: [ONE] })],
        pieces: 1,
      })),
    );
    assert.equal(outcome(await resolverOf([server]).resolve(HOST, never)), V4);
    const [udp, tcp] = server.queries.filter(({ type }) => type === A);
    assert.deepEqual([udp?.over, tcp?.over], ["udp", "tcp"]);
    assert.notDeepEqual([udp?.id, udp?.name], [tcp?.id, tcp?.name]);
  });
});

describe("an aborted look-up", () => {
  const cases: [string, Script][] = [
    ["over UDP", () => SILENCE],
    ["over TCP", onTcp(() => SILENCE)],
  ];
  for (const [what, script] of cases) {
    it(`ends at once and leaves no socket, ${what}`, { timeout: 10_000 }, async (t) => {
      let arrived = () => {};
      const waiting = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const server = await startDnsServer(t, (query) => {
        const reply = script(query);
        if (reply.kind === "silence") arrived();
        return reply;
      });
      const stop = new AbortController();
      const found = resolverOf([server], 60_000).resolve(HOST, stop.signal);
      await waiting;
      assert.ok(socketsTo(server) > 0);
      const reason = new Error("revoked");
      stop.abort(reason);
      assert.equal(socketsTo(server), 0);
      await assert.rejects(found, reason);
    });
  }

  it("that was aborted before asks nobody", async (t) => {
    const server = await startDnsServer(t, right);
    await assert.rejects(resolverOf([server]).resolve(HOST, AbortSignal.abort()));
    assert.equal(outcome(await resolverOf([server]).resolve(HOST, never)), V4);
    assert.equal(server.queries.length, 2);
  });
});

test("many look-ups at once each have their own answer", async (t) => {
  const server = await startDnsServer(
    t,
    onA((query) =>
      send(
        response(query, {
          answers: [a(query.host, `192.0.2.${query.host.split(".")[0]?.slice(1)}`)],
        }),
      ),
    ),
  );
  const resolver = resolverOf([server]);
  const found = await Promise.all(
    // Two questions each, asked twice when a busy machine is late: 200 datagrams wait for a server
    // whose socket holds 256 of them.
    Array.from({ length: 50 }, (_, n) =>
      resolver.resolve(`n${n}.example.com`, new AbortController().signal),
    ),
  );
  assert.deepEqual(
    found.map(outcome),
    found.map((_, n) => `192.0.2.${n}`),
  );
  assert.equal(socketsTo(server), 0);
});
