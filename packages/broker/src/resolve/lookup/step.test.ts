import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import type { IpAddress } from "../../address/address.js";
import type { Answer } from "../answer/answer.js";
import type { LookupEffect, LookupOutcome } from "./state.js";
import { beginLookup, type LookupStep, stepLookup } from "./step.js";

type Ask = Extract<LookupEffect, { type: "ask" }>;

const TTL = 60;
const V4: IpAddress = { family: 4, bytes: Uint8Array.of(192, 0, 2, 1) };
const V6: IpAddress = {
  family: 6,
  bytes: Uint8Array.from([0x20, 1, 0xd, 0xb8, ...Array(12).fill(1)]),
};
const living = (ttl: number, ...addresses: IpAddress[]): Answer => ({
  kind: "addresses",
  addresses,
  ttl,
});
const some = (...addresses: IpAddress[]): Answer => living(TTL, ...addresses);
const NONE = living(Number.POSITIVE_INFINITY);

/** A look-up, and what it has asked for so far. */
const lookup = (servers = 1, limits = { timeoutMs: 1000, maxUnrelated: 2 }) => {
  let now = 0;
  let current: LookupStep = beginLookup(servers, limits, now);
  const open = new Map<number, Ask & { readonly at: number }>();
  const asked: Ask[] = [];
  const ended: LookupOutcome[] = [];
  const take = (step: LookupStep): void => {
    current = step;
    for (const effect of step.effects) {
      assert.equal(ended.length, 0, "nothing happens after the end");
      if (effect.type === "ask") {
        asked.push(effect);
        open.set(effect.query, { ...effect, at: now });
      } else if (effect.type === "drop") {
        assert.ok(open.delete(effect.query));
      } else {
        ended.push(effect.outcome);
        open.clear();
      }
    }
  };
  take(current);
  const openOf = (family: 4 | 6): Ask | undefined =>
    [...open.values()].find((query) => query.family === family);
  const queryOf = (family: 4 | 6): number => openOf(family)?.query ?? -1;
  return {
    open,
    asked,
    ended,
    openOf,
    wait: (ms: number) => {
      now += ms;
    },
    now: () => now,
    says: (family: 4 | 6, answer: Answer, query = queryOf(family)) =>
      take(stepLookup(current.state, { type: "answer", query, answer, at: now })),
    breaks: (family: 4 | 6, query = queryOf(family)) =>
      take(stepLookup(current.state, { type: "broken", query, at: now })),
    isSilent: (family: 4 | 6, query = queryOf(family)) => {
      now = Math.max(now, (open.get(query)?.at ?? 0) + (open.get(query)?.waitMs ?? 0));
      take(stepLookup(current.state, { type: "silent", query, at: now }));
    },
  };
};

const refused = (reason: string) => [{ kind: "refused", reason }];

describe("both families have to answer", () => {
  it("A and AAAA are asked at once, and all addresses are the outcome", () => {
    const one = lookup();
    assert.deepEqual(
      one.asked.map(({ family, server, over, waitMs }) => [family, server, over, waitMs]),
      [
        [4, 0, "udp", 500],
        [6, 0, "udp", 500],
      ],
    );
    one.says(6, some(V6));
    assert.equal(one.ended.length, 0);
    one.says(4, some(V4, V4));
    assert.deepEqual(one.ended, [{ kind: "addresses", addresses: [V4, V6], ttl: TTL }]);
  });

  for (const [family, other] of [
    [4, 6],
    [6, 4],
  ] as const) {
    it(`one family may be empty: ${other}`, () => {
      const one = lookup();
      one.says(other, NONE);
      one.says(family, some(V4));
      assert.deepEqual(one.ended, [{ kind: "addresses", addresses: [V4], ttl: TTL }]);
    });

    it(`both last as long as the shorter-lived: ${family}`, () => {
      const one = lookup();
      one.says(family, living(3));
      one.says(other, living(5, V4));
      assert.deepEqual(one.ended, [{ kind: "addresses", addresses: [V4], ttl: 3 }]);
    });

    it(`addresses of one family are nothing while the other is silent: ${other}`, () => {
      const one = lookup();
      one.says(family, some(V4));
      one.isSilent(other);
      assert.equal(one.ended.length, 0);
      one.isSilent(other);
      assert.deepEqual(one.ended, refused("DNS_TIMEOUT"));
    });

    it(`nor while the other's servers fail: ${other}`, () => {
      const one = lookup();
      one.says(family, some(V4));
      one.says(other, { kind: "failed" });
      assert.deepEqual(one.ended, refused("DNS_FAILED"));
    });
  }

  it("two empty answers are an empty answer", () => {
    const one = lookup();
    one.says(4, NONE);
    one.says(6, NONE);
    assert.deepEqual(one.ended, refused("DNS_EMPTY"));
  });

  it("a name that one family doesn't know doesn't exist", () => {
    const one = lookup();
    one.says(4, some(V4));
    one.says(6, { kind: "no-name" });
    assert.deepEqual(one.ended, refused("DNS_NO_NAME"));
  });

  it("what is refused in one answer is refused at once", () => {
    for (const reason of ["DNS_MALFORMED", "DNS_TOO_MANY"] as const) {
      const one = lookup(3);
      one.says(4, { kind: "refused", reason });
      assert.deepEqual(one.ended, refused(reason));
      assert.equal(one.asked.length, 2);
    }
  });
});

describe("servers have their turns", () => {
  it("a silent one is asked again when the others were; the time is shared", () => {
    const one = lookup(2);
    const turns: [number, number][] = [];
    one.says(6, NONE);
    while (one.ended.length === 0) {
      const { server = -1, waitMs = -1 } = one.openOf(4) ?? {};
      turns.push([server, waitMs]);
      one.isSilent(4);
    }
    assert.deepEqual(turns, [
      [0, 250],
      [1, 250],
      [0, 250],
      [1, 250],
    ]);
    assert.equal(one.now(), 1000);
    assert.deepEqual(one.ended, refused("DNS_TIMEOUT"));
  });

  it("none but the last waits longer than a second", () => {
    const one = lookup(1, { timeoutMs: 5000, maxUnrelated: 2 });
    one.says(6, NONE);
    assert.equal(one.openOf(4)?.waitMs, 1000);
    one.isSilent(4);
    assert.equal(one.openOf(4)?.waitMs, 4000);
  });

  it("a failing one has no further turn, and leaves its time to the others", () => {
    const one = lookup(2);
    one.says(6, NONE);
    one.says(4, { kind: "failed" });
    assert.equal(one.openOf(4)?.server, 1);
    assert.equal(one.openOf(4)?.waitMs, 500);
    one.isSilent(4);
    assert.equal(one.openOf(4)?.server, 1);
    one.breaks(4);
    assert.deepEqual(one.ended, refused("DNS_FAILED"));
  });

  it("what comes late, for a query that was dropped, is passed over", () => {
    const one = lookup(2);
    one.says(6, NONE);
    const first = one.openOf(4)?.query ?? -1;
    one.isSilent(4);
    one.says(4, some(V4), first);
    assert.equal(one.ended.length, 0);
    one.says(4, some(V4));
    assert.equal(one.ended[0]?.kind, "addresses");
  });
});

test("an answer at the deadline is late, a millisecond before it isn't", () => {
  for (const [ms, kind] of [
    [999, "addresses"],
    [1000, "refused"],
  ] as const) {
    const one = lookup();
    one.says(6, NONE);
    one.wait(ms);
    one.says(4, some(V4));
    assert.equal(one.ended[0]?.kind, kind);
  }
});

describe("over TCP", () => {
  it("a truncated answer is asked for again, of the same server", () => {
    const one = lookup(2);
    one.says(4, { kind: "truncated" });
    assert.deepEqual([one.openOf(4)?.server, one.openOf(4)?.over], [0, "tcp"]);
    one.says(4, some(V4));
    one.says(6, NONE);
    assert.equal(one.ended[0]?.kind, "addresses");
  });

  it("a connection that fails is a server that fails; the next is asked over UDP", () => {
    const one = lookup(2);
    one.says(4, { kind: "truncated" });
    one.breaks(4);
    assert.deepEqual([one.openOf(4)?.server, one.openOf(4)?.over], [1, "udp"]);
  });

  it("an unrelated message is malformed, since nobody else can have sent it", () => {
    const one = lookup(2);
    one.says(4, { kind: "unrelated" });
    assert.equal(one.ended.length, 0);
    one.says(4, { kind: "truncated" });
    one.says(4, { kind: "unrelated" });
    assert.deepEqual(one.ended, refused("DNS_MALFORMED"));
  });
});

describe("unrelated datagrams", () => {
  it("are passed over up to the limit", () => {
    const one = lookup();
    one.says(4, { kind: "unrelated" });
    one.says(6, { kind: "unrelated" });
    one.says(4, some(V4));
    one.says(6, NONE);
    assert.equal(one.ended[0]?.kind, "addresses");
  });

  it("end the look-up beyond it", () => {
    const one = lookup();
    one.says(4, { kind: "unrelated" });
    one.says(6, { kind: "unrelated" });
    one.says(4, { kind: "unrelated" });
    assert.deepEqual(one.ended, refused("DNS_MALFORMED"));
  });

  it("are what a look-up is refused for that got nothing else", () => {
    const one = lookup();
    one.says(6, NONE);
    one.says(4, { kind: "unrelated" });
    one.isSilent(4);
    one.isSilent(4);
    assert.deepEqual(one.ended, refused("DNS_MALFORMED"));
  });
});

test("whatever happens in whatever order, a look-up ends in time, within its bounds", () => {
  const answer = fc.constantFrom<Answer | "silent" | "broken">(
    "silent",
    "silent",
    "broken",
    some(V4),
    some(V6),
    NONE,
    { kind: "unrelated" },
    { kind: "truncated" },
    { kind: "failed" },
    { kind: "no-name" },
    { kind: "refused", reason: "DNS_MALFORMED" },
  );
  const happening = fc.record({ family: fc.constantFrom(4, 6), what: answer, ms: fc.nat(60) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(happening), (servers, happenings) => {
      const one = lookup(servers);
      const complete = new Set<number>();
      for (const { family, what, ms } of happenings) {
        one.wait(ms);
        const over = one.openOf(family)?.over;
        if (what === "silent") one.isSilent(family);
        else if (what === "broken") one.breaks(family);
        // Only a datagram can be truncated: over TCP the reader says malformed.
        else if (what.kind !== "truncated" || over !== "tcp") {
          if (what.kind === "addresses" && over !== undefined) complete.add(family);
          one.says(family, what);
        }
        assert.ok(one.open.size <= 2);
      }
      // Then nothing more comes.
      for (let left = 100; one.ended.length === 0 && left > 0; left -= 1) {
        one.isSilent(one.openOf(4) === undefined ? 6 : 4);
      }
      assert.equal(one.ended.length, 1);
      assert.ok(one.asked.length <= 2 * servers * 2 * 2);
      if (one.ended[0]?.kind === "addresses") assert.equal(complete.size, 2);
    }),
    { numRuns: profile.fuzz, seed: profile.seed },
  );
});
