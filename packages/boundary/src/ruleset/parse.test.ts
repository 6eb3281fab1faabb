import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Match } from "../model/index.js";
import { type ListedRule, tableOf } from "./listing.js";
import { parseNftJson } from "./parse.js";
import { nativeRoundTrip } from "./testing/native.js";

const listing = (...items: readonly object[]) =>
  parseNftJson(Buffer.from(JSON.stringify({ nftables: items })));

const BASE = { type: "filter", hook: "forward", prio: -200, policy: "accept" };
const about = (...comments: readonly string[]) => [
  { chain: { family: "bridge", table: "t", name: "about" } },
  ...comments.map((comment) => ({
    rule: { family: "bridge", table: "t", chain: "about", comment, expr: [{ return: null }] },
  })),
];

const parsed = (family: string, expr: readonly object[], more: object = {}): ListedRule => {
  const [table] = listing(
    { table: { family, name: "t", handle: 1 } },
    { chain: { family, table: "t", name: "c", handle: 1, ...BASE } },
    { rule: { family, table: "t", chain: "c", handle: 2, comment: "it", expr, ...more } },
  ).tables;
  const [rule] = table?.chains[0]?.rules ?? [];
  assert.ok(rule !== undefined);
  return rule;
};

const match = (left: object, right: unknown, op = "==") => ({ match: { op, left, right } });
const meta = (key: string) => ({ meta: { key } });
const payload = (protocol: string, field: string) => ({ payload: { protocol, field } });
const vmap = (key: object, data: unknown) => ({ vmap: { key, data } });
const DROP = { drop: null };
const JUMP = { jump: { target: "x" } };

const matchesOf = (family: string, ...expr: readonly object[]): readonly Match[] | string => {
  const { rule, foreign } = parsed(family, [...expr, DROP]);
  return rule?.matches ?? `foreign: ${foreign}`;
};

describe("what nft lists", () => {
  it("means the same in the spellings of different versions", () => {
    const port = { kind: "destination-port", protocol: "tcp", is: [{ first: 80, last: 81 }] };
    const dport = payload("tcp", "dport");
    for (const right of [
      { range: [80, 81] },
      { set: [80, 81] },
      { set: [{ range: [80, 81] }] },
      { set: [81, 80, 80] },
    ]) {
      assert.deepEqual(matchesOf("inet", match(dport, right)), [port]);
      // What a version writes out that another leaves out.
      const written = [match(meta("l4proto"), "tcp"), match(dport, right)];
      assert.deepEqual(matchesOf("inet", ...written), [port]);
      assert.deepEqual(matchesOf("inet", match(meta("l4proto"), 6), match(dport, right)), [port]);
    }
    const source = [{ kind: "ip-source", is: [{ base: 0x0a00_0001, prefix: 32 }], not: false }];
    const saddr = match(payload("ip", "saddr"), "10.0.0.1");
    assert.deepEqual(matchesOf("bridge", saddr), source);
    assert.deepEqual(matchesOf("bridge", match(meta("protocol"), "ip"), saddr), source);
    assert.deepEqual(matchesOf("bridge", match(payload("ether", "type"), "ip"), saddr), source);
    assert.deepEqual(matchesOf("bridge", match(payload("ether", "type"), 0x0800), saddr), source);
    assert.deepEqual(matchesOf("inet", match(meta("nfproto"), "ipv4"), saddr), source);
    const states = { kind: "ct-state", is: ["established", "related"], not: false };
    const state = { ct: { key: "state" } };
    assert.deepEqual(matchesOf("inet", match(state, ["related", "established"], "in")), [states]);
    assert.deepEqual(matchesOf("inet", match(state, { set: ["established", "related"] })), [
      states,
    ]);
  });

  it("is foreign, with its reason, where the model has no word for it", () => {
    const cases: readonly (readonly [string, readonly object[], RegExp])[] = [
      ["inet", [match(meta("skuid"), 0), DROP], /meta skuid/],
      ["inet", [match(payload("tcp", "flags"), "syn", "in"), DROP], /bit test/],
      ["inet", [match(payload("tcp", "dport"), 80, "<"), DROP], /operator "<"/],
      ["inet", [match(payload("tcp", "dport"), 80, "!="), DROP], /tcp dport !=/],
      ["inet", [match(payload("ip", "saddr"), "@s"), DROP], /"@s/],
      [
        "inet",
        [match(payload("ip", "saddr"), { prefix: { addr: "::", len: 3 } }), DROP],
        /address/,
      ],
      [
        "inet",
        [match(payload("ip", "saddr"), { prefix: { addr: "10.0.0.1", len: 8 } }), DROP],
        /no block/,
      ],
      ["inet", [match(meta("iifname"), "eth*"), DROP], /"eth\*"/],
      ["inet", [match({ concat: [meta("iifname"), meta("mark")] }, "a"), DROP], /"concat"/],
      ["inet", [match({ ct: { key: "state", dir: "reply" } }, "new"), DROP], /"ct"/],
      ["inet", [match({ ct: { key: "state" } }, ["new", "related"], "!="), DROP], /!= a list/],
      ["inet", [match({ "&": [meta("mark"), 3] }, 4), DROP], /outside of mask/],
      ["bridge", [match(meta("protocol"), "ip"), DROP], /meta protocol/],
      [
        "inet",
        [match(payload("ether", "saddr"), "02:00:00:00:00:01"), DROP],
        /ether-source in family/,
      ],
      ["inet", [DROP, { counter: null }, { accept: null }], /"accept" behind/],
      ["inet", [{ counter: "named" }, DROP], /"counter"/],
      ["inet", [{ counter: { packets: 1, bytes: 2 } }], /no effect/],
      ["inet", [{ masquerade: { flags: "random" } }], /with options/],
      ["inet", [vmap(meta("iifname"), "@ports")], /has a name/],
      ["inet", [vmap(meta("iifname"), { set: [["a", { accept: null }]] })], /verdict .*accept/],
      ["inet", [vmap(meta("iifname"), { set: [["a", { goto: { target: "x" } }]] })], /verdict/],
      ["inet", [vmap(meta("iifname"), { set: ["a"] })], /a key and a verdict/],
      ["inet", [vmap(meta("iifname"), { set: [["a*", JUMP]] })], /"a\*"/],
      ["inet", [vmap(meta("mark"), { set: [[1, JUMP]] })], /a map of "meta mark"/],
      ["inet", [vmap(payload("ip", "saddr"), { set: [[{ range: [] }, JUMP]] })], /address/],
      ["inet", [vmap(payload("ip", "saddr"), { set: [] })], /finds nothing/],
      ["inet", [{ mangle: { key: meta("mark"), value: 1 } }], /something else/],
      [
        "inet",
        [{ mangle: { key: meta("mark"), value: { "|": [{ ct: { key: "mark" } }, 1] } } }],
        /something else/,
      ],
      ["ip", [DROP], /family "ip"/],
    ];
    for (const [family, expr, why] of cases) {
      const { rule, foreign, statements } = parsed(family, expr);
      assert.equal(rule, null, JSON.stringify(expr));
      assert.match(foreign ?? "", why);
      assert.deepEqual(statements, expr);
    }
    assert.equal(parsed("inet", [{ counter: null }, DROP]).foreign, null, "control");
    assert.equal(
      parsed("inet", [vmap(meta("iifname"), { set: [["a", JUMP]] })]).foreign,
      null,
      "control",
    );
    assert.match(parsed("inet", [DROP], { comment: null }).foreign ?? "", /no comment/);
    assert.match(parsed("inet", [DROP], { flags: "x" }).foreign ?? "", /"flags"/);
  });

  it("is unknown where a version leaves it out, and then no table of the model", () => {
    const tableWith = (base: object) =>
      listing({ table: { family: "bridge", name: "t" } }, ...about("owner=x", "digest=y"), {
        chain: { family: "bridge", table: "t", name: "c", ...base },
      }).tables[0];
    const whole = tableWith(BASE);
    assert.ok(whole !== undefined && tableOf(whole) !== null, "control");
    assert.equal(whole.comment, "owner=x,digest=y");
    for (const key of Object.keys(BASE)) {
      const { [key as keyof typeof BASE]: _, ...rest } = BASE;
      const table = tableWith(rest);
      assert.ok(table !== undefined);
      assert.ok(Object.values(table.chains[0]?.base ?? {}).includes(null), key);
      assert.equal(tableOf(table), null, key);
    }
    const flagged = listing(
      { table: { family: "bridge", name: "t", flags: "dormant" } },
      ...about("x"),
    );
    assert.deepEqual(flagged.tables[0]?.extras, ['flags="dormant"']);
  });

  it("has the matches of a bridge's own name and state", () => {
    const item = (identity: string, expr: readonly object[]) => ({
      rule: { family: "bridge", table: "t", chain: "forward", comment: identity, expr },
    });
    const state = (right: unknown, op: string) => match({ ct: { key: "state" } }, right, op);
    const name = /table bridge (\w+) \{/.exec(nativeRoundTrip.text)?.[1] ?? "";
    const comment = [...nativeRoundTrip.text.matchAll(/return comment "([a-z]+=[^"]+)"/g)].map(
      ([, part]) => part ?? "",
    );
    const items = [
      { table: { family: "bridge", name: "t" } },
      ...about(...comment.slice(comment.length / 2)),
      { chain: { family: "bridge", table: "t", name: "forward", ...BASE } },
      item("bridges", [
        match(meta("ibrname"), "br-one"),
        match(meta("obrname"), { set: ["br-two", "br-one"] }, "!="),
        DROP,
      ]),
      item("invalid", [state("invalid", "in"), DROP]),
      item("reply", [
        match(meta("ibrname"), { set: ["br-one", "br-two"] }),
        state(["established", "related"], "in"),
        { accept: null },
      ]),
      item("web", [
        match(meta("ibrname"), "br-one"),
        match(payload("ip", "daddr"), "10.60.1.10"),
        match(payload("tcp", "dport"), { range: [80, 81] }),
        state({ set: ["new", "untracked"] }, "!="),
        { return: null },
      ]),
    ];
    nativeRoundTrip.check(
      Buffer.from(JSON.stringify({ nftables: items }).replaceAll('"t"', JSON.stringify(name))),
    );
  });

  it("is refused as a whole when it is no listing", () => {
    for (const text of [
      "",
      "[]",
      '{"nftables":{}}',
      '{"nftables":[{"table":{"family":"inet"}}]}',
      '{"nftables":[{"rule":{"family":"inet","table":"t","chain":"c","expr":[]}}]}',
      '{"nftables":[{"table":{"family":"inet","name":"t"}},{"table":{"family":"inet","name":"t"}}]}',
      '{"nftables":[{"a":{},"b":{}}]}',
      '{"nftables":[],"nftables":[]}',
    ]) {
      assert.throws(() => parseNftJson(Buffer.from(text)), { code: "NFT_OUTPUT" }, text);
    }
    assert.deepEqual(parseNftJson(Buffer.from('{"nftables":[]}')).tables, [], "control");
  });
});
