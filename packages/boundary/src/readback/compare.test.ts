import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseNftJson, printTables } from "../ruleset/index.js";
import { type TestNetwork, testNetwork } from "../ruleset/testing/network.js";
import { compareRulesets } from "./compare.js";
import type { DifferenceKind } from "./difference.js";
import { PLATFORM, SCENARIO } from "./testing/rulesets.js";

const S = `inet ${SCENARIO.inet.name}`;
const SB = `bridge ${SCENARIO.bridge.name}`;
const P = `inet ${PLATFORM.inet.name}`;

interface Case {
  readonly name: string;
  /** For nft, with `%handle <table> <chain> <comment>%` standing for a rule's handle. */
  readonly change: string;
  readonly kinds: readonly DifferenceKind[];
  /** Identity, or part of what was found, that the first difference has to name. */
  readonly names: string;
}

const handle = (table: string, chain: string, comment: string) => `%${table}|${chain}|${comment}%`;

const CASES: readonly Case[] = [
  {
    name: "a rule's body is another under its comment",
    change: `replace rule ${S} web_in handle ${handle(S, "web_in", "web/https")} tcp dport { 443, 8444 } return comment "web/https"`,
    kinds: ["rule-changed"],
    names: "web/https",
  },
  {
    name: "a set is wider",
    change: `replace rule ${S} web_in handle ${handle(S, "web_in", "web/https")} tcp dport { 443, 8443, 22 } return comment "web/https"`,
    kinds: ["rule-changed"],
    names: "web/https",
  },
  {
    name: "a block of addresses is wider",
    change: `replace rule ${S} forward handle ${handle(S, "forward", "web/in")} ip saddr 10.60.1.10/31 jump web_in comment "web/in"`,
    kinds: ["rule-changed"],
    names: "web/in",
  },
  {
    name: "a match is left out",
    change: `replace rule ${SB} port_web handle ${handle(SB, "port_web", "port/web/ipv4")} ip saddr 10.60.1.10 meta mark set meta mark | 0x00400000 comment "port/web/ipv4"`,
    kinds: ["rule-changed"],
    names: "port/web/ipv4",
  },
  {
    name: "a match is negated",
    change: `replace rule ${P} forward handle ${handle(P, "forward", "platform/default")} iifname != { "br-mgmt", "br-egress" } drop comment "platform/default"`,
    kinds: ["rule-changed"],
    names: "platform/default",
  },
  {
    name: "an effect is another",
    change: `replace rule ${S} forward handle ${handle(S, "forward", "default")} iifname "br-one" accept comment "default"`,
    kinds: ["rule-changed"],
    names: "default",
  },
  {
    name: "the bits of a mark that is set are others",
    change: `replace rule ${SB} port_web handle ${handle(SB, "port_web", "port/web/ipv4")} ether saddr 02:42:0a:3c:01:0a ip saddr 10.60.1.10 meta mark set meta mark | 0x00c00000 comment "port/web/ipv4"`,
    kinds: ["rule-changed"],
    names: "port/web/ipv4",
  },
  {
    name: "the bits of a mark that is matched are others",
    change: `replace rule ${S} forward handle ${handle(S, "forward", "unbound")} iifname "br-one" meta mark & 0x00600000 == 0 drop comment "unbound"`,
    kinds: ["rule-changed"],
    names: "unbound",
  },
  {
    name: "an entry of a look-up leads elsewhere",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap { "veth1" : jump port_mail, "veth2" : jump port_mail } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "an entry of a look-up is missing",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap { "veth1" : jump port_web } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "a look-up has an entry more",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap { "veth1" : jump port_web, "veth2" : jump port_mail, "veth3" : jump port_web } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "an entry of a look-up goes where it doesn't come back from",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap { "veth1" : goto port_web, "veth2" : jump port_mail } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "an entry of a look-up accepts",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap { "veth1" : accept, "veth2" : jump port_mail } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "a look-up is made of something else",
    change: `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} oifname vmap { "veth1" : jump port_web, "veth2" : jump port_mail } comment "port"`,
    kinds: ["rule-changed"],
    names: "port",
  },
  {
    name: "a look-up is made among entries that can change",
    change: [
      `add map ${SB} ports { type ifname : verdict; elements = { "veth1" : jump port_web, "veth2" : jump port_mail }; }`,
      `replace rule ${SB} prerouting handle ${handle(SB, "prerouting", "port")} iifname vmap @ports comment "port"`,
    ].join("\n"),
    kinds: ["object-extra", "rule-changed"],
    names: "ports",
  },
  {
    name: "a rule says something that the model has no word for",
    change: `replace rule ${S} forward handle ${handle(S, "forward", "default")} iifname "br-one" limit rate 1/second drop comment "default"`,
    kinds: ["rule-changed"],
    names: "default",
  },
  {
    name: "a rule's comment is another",
    change: `replace rule ${S} web_in handle ${handle(S, "web_in", "web/rest")} drop comment "web/all"`,
    kinds: ["rule-extra", "rule-missing"],
    names: "web/all",
  },
  {
    name: "a rule's comment is gone",
    change: `replace rule ${S} web_in handle ${handle(S, "web_in", "web/rest")} drop`,
    kinds: ["rule-extra", "rule-missing"],
    names: "it has no comment",
  },
  {
    name: "two rules have changed places",
    change: [
      `delete rule ${S} forward handle ${handle(S, "forward", "invalid")}`,
      `add rule ${S} forward ct state invalid drop comment "invalid"`,
    ].join("\n"),
    kinds: ["rule-moved"],
    names: "reply",
  },
  {
    name: "two rules have each other's comments",
    change: [
      `replace rule ${S} web_in handle ${handle(S, "web_in", "web/ping")} drop comment "web/ping"`,
      `replace rule ${S} web_in handle ${handle(S, "web_in", "web/rest")} meta nfproto ipv4 meta l4proto icmp return comment "web/rest"`,
    ].join("\n"),
    kinds: ["rule-changed", "rule-changed"],
    names: "web/ping",
  },
  {
    name: "a rule more stands behind all others",
    change: `add rule ${S} web_in accept comment "more"`,
    kinds: ["rule-extra"],
    names: "more",
  },
  {
    name: "a rule more stands before one and shadows it",
    change: `insert rule ${S} web_in accept comment "more"`,
    kinds: ["rule-shadowing"],
    names: "more",
  },
  {
    name: "a rule stands twice",
    change: `add rule ${S} web_in drop comment "web/rest"`,
    kinds: ["rule-extra"],
    names: "web/rest",
  },
  {
    name: "a rule is missing",
    change: `delete rule ${S} forward handle ${handle(S, "forward", "unbound")}`,
    kinds: ["rule-missing"],
    names: "unbound",
  },
  {
    name: "a chain is flushed",
    change: `flush chain ${S} output`,
    kinds: ["rule-missing"],
    names: "host",
  },
  {
    name: "a chain is missing",
    change: `delete chain ${S} output`,
    kinds: ["chain-missing"],
    names: "hook output priority -200",
  },
  {
    name: "a chain more, with a hook",
    change: `add chain ${S} more { type filter hook input priority 0; policy accept; }`,
    kinds: ["chain-extra"],
    names: "hook input priority 0",
  },
  {
    name: "a chain more, that nothing jumps to",
    change: `add chain ${S} more`,
    kinds: ["chain-extra"],
    names: "reached by jumps alone",
  },
  {
    name: "a policy is another",
    change: `chain ${S} output { policy drop; }`,
    kinds: ["chain-base"],
    names: "policy drop",
  },
  ...(
    [
      ["priority", "hook output priority -199", "priority -199"],
      ["hook", "hook input priority -200", "hook input"],
    ] as const
  ).map(
    ([what, declared, names]): Case => ({
      name: `a chain's ${what} is another`,
      change: [
        `delete chain ${S} output`,
        `add chain ${S} output { type filter ${declared}; policy accept; }`,
        `add rule ${S} output oifname "br-one" drop comment "host"`,
      ].join("\n"),
      kinds: ["chain-base"],
      names,
    }),
  ),
  {
    name: "a chain with a hook is one without",
    change: [
      `delete chain ${S} output`,
      `add chain ${S} output`,
      `add rule ${S} output oifname "br-one" drop comment "host"`,
    ].join("\n"),
    kinds: ["chain-base"],
    names: "reached by jumps alone",
  },
  {
    name: "a table is asleep: its rules are listed and don't hold",
    change: `table ${S} { flags dormant; }`,
    kinds: ["table-flags"],
    names: "flags",
  },
  {
    name: "a set more",
    change: `add set ${S} more { type ipv4_addr; }`,
    kinds: ["object-extra"],
    names: "set more",
  },
  {
    name: "a table is missing",
    change: `delete table ${SB}`,
    kinds: ["table-missing"],
    names: "authority=scenario",
  },
  {
    name: "a table of the same name says nothing of its owner",
    change: [`delete table ${P}`, `add table ${P}`].join("\n"),
    kinds: ["table-foreign"],
    names: "authority=platform",
  },
  {
    name: "a table of the same name is somebody else's",
    change: `replace rule ${P} about handle ${handle(P, "about", PLATFORM.inet.comment.split(",")[0] ?? "")} return comment "owner=0000000000000000"`,
    kinds: ["table-foreign"],
    names: "owner=0000000000000000",
  },
  {
    name: "a table of the same name stands in a family that none of ours is in",
    change: `add table ip ${SCENARIO.inet.name}`,
    kinds: ["table-foreign"],
    names: "no comment",
  },
  {
    name: "a table names another digest",
    change: `replace rule ${P} about handle ${handle(P, "about", `digest=${PLATFORM.digest.slice(7)}`)} return comment "digest=${"0".repeat(64)}"`,
    kinds: ["table-comment"],
    names: `digest=${"0".repeat(64)}`,
  },
  {
    name: "what a table says of itself does something",
    change: `add rule ${P} about accept comment "more"`,
    kinds: ["table-foreign"],
    names: "authority=platform",
  },
];

describe("what the kernel holds is compared with what was written", () => {
  it("is equal while nothing was changed, counters and handles aside", (t) => {
    const network = testNetwork(t);
    load(network);
    assert.deepEqual(differences(network), []);
    // The same rule with a counter counts, and does nothing else.
    change(
      network,
      `replace rule ${S} output handle ${handle(S, "output", "host")} oifname "br-one" counter drop comment "host"`,
    );
    assert.deepEqual(differences(network), []);
  });

  it("finds every change that somebody makes by hand", async (t) => {
    const network = testNetwork(t);
    for (const { name, change: text, kinds, names } of CASES) {
      await t.test(name, () => {
        load(network);
        const unchanged = network.listing();
        assert.deepEqual(differencesIn(unchanged), [], "control: unchanged");
        change(network, text, unchanged);
        const found = differences(network);
        assert.deepEqual(
          found.map(({ kind }) => kind),
          kinds,
          JSON.stringify(found),
        );
        assert.ok(JSON.stringify(found[0]).includes(names), JSON.stringify(found[0]));
      });
    }
  });

  it("finds the rules of two tables in each other's", (t) => {
    const network = testNetwork(t);
    load(network);
    assert.deepEqual(differences(network), []);
    const swapped = (mine: typeof SCENARIO, other: typeof SCENARIO) => ({
      inet: { ...mine.inet, chains: other.inet.chains },
      bridge: { ...mine.bridge, chains: other.bridge.chains },
    });
    network.nft(
      printTables(swapped(SCENARIO, PLATFORM)) + printTables(swapped(PLATFORM, SCENARIO)),
    );
    const found = differences(network);
    for (const table of [S, SB, P]) {
      assert.ok(
        found.some((difference) => difference.table === table),
        `${table}: ${JSON.stringify(found)}`,
      );
    }
  });
});

const load = (network: TestNetwork): void => {
  network.nft(`flush ruleset\n${printTables(SCENARIO)}${printTables(PLATFORM)}`);
};

const differences = (network: TestNetwork) => differencesIn(network.listing());

const differencesIn = (listing: Buffer) =>
  compareRulesets([SCENARIO, PLATFORM], parseNftJson(listing));

const change = (network: TestNetwork, text: string, listing = network.listing()): void => {
  const listed: { readonly nftables: readonly Record<string, ListedItem>[] } = JSON.parse(
    listing.toString("utf8"),
  );
  const handleOf = (table: string, chain: string, comment: string): string => {
    const found = listed.nftables.find(
      ({ rule }) =>
        rule !== undefined &&
        `${rule.family} ${rule.table}` === table &&
        rule.chain === chain &&
        rule.comment === comment,
    );
    assert.ok(found?.["rule"] !== undefined, `no rule ${comment} in ${table} ${chain}`);
    return String(found["rule"].handle);
  };
  network.nft(
    `${text.replace(/%([^|%]+)\|([^|%]+)\|([^%]+)%/g, (_, table, chain, comment) => handleOf(table, chain, comment))}\n`,
  );
};

interface ListedItem {
  readonly family?: string;
  readonly table?: string;
  readonly chain?: string;
  readonly comment?: string;
  readonly handle?: number;
}
