import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseNftJson, printTables } from "../ruleset/index.js";
import { type TestNetwork, testNetwork } from "../ruleset/testing/network.js";
import { compareRulesets } from "./compare.js";
import type { DifferenceKind } from "./difference.js";
import { PLATFORM, SCENARIO } from "./testing/rulesets.js";

/** Somebody else's table: what of it is found, and what differs in one thing and is none. */
interface Case {
  readonly name: string;
  readonly found: string;
  readonly kind: DifferenceKind;
  readonly control: string;
}

const table = (family: string, chain: string, rules: string, more = ""): string =>
  `table ${family} other {\n${more}\nchain c {\ntype ${chain}; policy accept;\n${rules}\n}\n}\n`;

const CASES: readonly Case[] = [
  {
    name: "an accept at an earlier priority",
    found: table("ip", "filter hook forward priority -301", "ip saddr 10.60.1.10 accept"),
    kind: "foreign-accept",
    control: table("ip", "filter hook forward priority -199", "ip saddr 10.60.1.10 accept"),
  },
  {
    name: "an accept at an equal priority",
    found: table("inet", "filter hook output priority -200", "accept"),
    kind: "foreign-accept",
    control: table("inet", "filter hook input priority -200", "accept"),
  },
  {
    name: "an accept before a bridge's hook",
    found: table("bridge", "filter hook prerouting priority -300", 'iifname "veth1" accept'),
    kind: "foreign-accept",
    control: table("bridge", "filter hook prerouting priority -300", 'iifname "veth1" drop'),
  },
  {
    name: "an accept that is reached by a jump",
    found: table("inet", "filter hook forward priority -400", "jump d", "chain d {\naccept\n}"),
    kind: "foreign-accept",
    control: table("inet", "filter hook forward priority -400", "counter", "chain d {\naccept\n}"),
  },
  {
    name: "an accept in a map of verdicts",
    found: table("inet", "filter hook forward priority -400", "tcp dport vmap { 22 : accept }"),
    kind: "foreign-accept",
    control: table("inet", "filter hook forward priority -400", "tcp dport vmap { 22 : drop }"),
  },
  {
    name: "an accept that is reached by a look-up such as ours have",
    found: table(
      "inet",
      "filter hook forward priority -400",
      'iifname vmap { "veth1" : jump d } comment "x"',
      "chain d {\naccept\n}",
    ),
    kind: "foreign-accept",
    control: table(
      "inet",
      "filter hook forward priority -400",
      'iifname vmap { "veth1" : jump d } comment "x"',
      "chain d {\ndrop\n}",
    ),
  },
  {
    name: "a named map of verdicts, whose elements may be any at any time",
    found: table(
      "inet",
      "filter hook forward priority -400",
      "tcp dport vmap @m",
      "map m {\ntype inet_service : verdict\n}",
    ),
    kind: "foreign-accept",
    control: table(
      "inet",
      "filter hook forward priority -400",
      "tcp dport @m drop",
      "set m {\ntype inet_service\n}",
    ),
  },
  {
    name: "a mark that ours believe, set on the way",
    found: table(
      "ip",
      "filter hook prerouting priority -150",
      "meta mark set meta mark | 0x00400000",
    ),
    kind: "foreign-mark",
    control: table(
      "ip",
      "filter hook prerouting priority -150",
      "meta mark set meta mark | 0x00004000",
    ),
  },
  {
    name: "a mark that is set as a whole",
    found: table("bridge", "filter hook prerouting priority 0", "meta mark set 0x00004000"),
    kind: "foreign-mark",
    control: table("bridge", "filter hook postrouting priority 0", "meta mark set 0x00004000"),
  },
  {
    name: "a mark that comes from a connection's",
    found: table("inet", "filter hook prerouting priority 0", "meta mark set ct mark"),
    kind: "foreign-mark",
    control: table("inet", "filter hook prerouting priority 0", "ct mark set meta mark"),
  },
  {
    name: "bits of a mark that are taken away",
    found: table("inet", "filter hook prerouting priority 0", "meta mark set meta mark & 0xff"),
    kind: "foreign-mark",
    control: table(
      "inet",
      "filter hook prerouting priority 0",
      "meta mark set meta mark & 0xffffff00",
    ),
  },
  {
    name: "a route that is chosen anew by mark behind the output hook",
    found: table("ip", "route hook output priority -100", "meta mark set 1"),
    kind: "foreign-rewrite",
    control: table("ip", "route hook output priority -100", "ct mark set 1"),
  },
  {
    name: "a destination that is translated behind the output hook",
    found: table("ip", "nat hook output priority -100", "tcp dport 80 dnat to 10.60.1.10"),
    kind: "foreign-rewrite",
    control: table("ip", "nat hook prerouting priority -100", "tcp dport 80 dnat to 10.60.1.10"),
  },
  {
    name: "a header that is written, at any priority",
    found: table("ip", "filter hook forward priority 100", "ip daddr set 10.60.1.11"),
    kind: "foreign-bypass",
    control: table("ip", "filter hook forward priority 100", "ip daddr 10.60.1.11 drop"),
  },
  {
    name: "connections without state",
    found: table("ip", "filter hook prerouting priority -300", "notrack"),
    kind: "foreign-bypass",
    control: table("ip", "filter hook prerouting priority -300", "counter"),
  },
  {
    name: "a helper that opens ports as related",
    found: table(
      "inet",
      "filter hook prerouting priority 10",
      'tcp dport 21 ct helper set "ftp"',
      'ct helper ftp {\ntype "ftp" protocol tcp;\n}',
    ),
    kind: "foreign-bypass",
    control: table("inet", "filter hook prerouting priority 10", "tcp dport 21 drop"),
  },
  {
    name: "a frame that another device is to send",
    found: table("netdev", 'filter hook ingress device "lo" priority 0', 'fwd to "lo"'),
    kind: "foreign-bypass",
    control: table("netdev", 'filter hook ingress device "lo" priority 0', "counter"),
  },
  {
    name: "a copy of a packet that goes elsewhere",
    found: table("ip", "filter hook forward priority 100", "dup to 10.60.1.11"),
    kind: "foreign-bypass",
    control: table("ip", "filter hook forward priority 100", "log"),
  },
];

/** Of other tables, what has to be left alone: none of it is a difference. */
const HARMLESS: readonly string[] = [
  table(
    "inet",
    "filter hook forward priority -400",
    "ct state invalid drop\nlimit rate 1/second log",
  ),
  table("ip", "nat hook postrouting priority 100", 'oifname "eth0" masquerade'),
  table("ip", "filter hook forward priority 0", 'iifname "docker0" accept'),
];

describe("rules of other tables that take away what ours mean", () => {
  it("finds each, and nothing in a table that differs in one thing", async (t) => {
    const network = testNetwork(t);
    for (const { name, found, kind, control } of CASES) {
      await t.test(name, () => {
        assert.deepEqual(withTable(network, control), [], "control");
        assert.deepEqual([...new Set(withTable(network, found).map((each) => each.kind))], [kind]);
      });
    }
  });

  it("leaves alone what counts, logs, denies, and translates as Docker does", (t) => {
    const network = testNetwork(t);
    for (const text of HARMLESS) assert.deepEqual(withTable(network, text), [], text);
  });

  it("reads the rules of iptables by the names of their extensions", (t) => {
    const network = testNetwork(t);
    const withRule = (...args: readonly string[]) => {
      load(network);
      network.run("iptables-nft", args);
      return compareRulesets([SCENARIO, PLATFORM], parseNftJson(network.listing()));
    };
    const DNAT = ["-p", "tcp", "-j", "DNAT", "--to-destination", "10.60.1.10:80"];
    assert.deepEqual(
      withRule("-t", "nat", "-A", "PREROUTING", "-m", "addrtype", "--dst-type", "LOCAL", ...DNAT),
      [],
    );
    assert.equal(withRule("-t", "nat", "-A", "OUTPUT", ...DNAT)[0]?.kind, "foreign-rewrite");
    const MARK = ["-t", "mangle", "-A", "PREROUTING", "-j", "MARK", "--set-mark", "0x400000"];
    assert.equal(withRule(...MARK)[0]?.kind, "foreign-mark");
    assert.equal(
      withRule("-t", "raw", "-A", "PREROUTING", "-j", "CT", "--notrack")[0]?.kind,
      "foreign-bypass",
    );
  });

  it("knows a statement that it doesn't know as unreadable", () => {
    const listing = (statement: object) =>
      parseNftJson(
        Buffer.from(
          JSON.stringify({
            nftables: [
              { table: { family: "inet", name: "other" } },
              {
                chain: {
                  ...{ family: "inet", table: "other", name: "c", type: "filter" },
                  ...{ hook: "forward", prio: 300, policy: "accept" },
                },
              },
              { rule: { family: "inet", table: "other", chain: "c", expr: [statement] } },
              { flowtable: { family: "inet", table: "other", name: "f" } },
            ],
          }),
        ),
      );
    const kinds = (statement: object) =>
      compareRulesets([], listing(statement)).map(({ kind }) => kind);
    assert.deepEqual(kinds({ teleport: null }), ["foreign-bypass", "foreign-unreadable"]);
    assert.deepEqual(kinds({ xt: null }), ["foreign-bypass", "foreign-unreadable"]);
    assert.deepEqual(kinds({ xt: { type: "target", name: "SOMETHING" } }), [
      "foreign-bypass",
      "foreign-unreadable",
    ]);
    assert.deepEqual(kinds({ counter: null }), ["foreign-bypass"]);
  });
});

const load = (network: TestNetwork, more = ""): void => {
  network.nft(`flush ruleset\n${printTables(SCENARIO)}${printTables(PLATFORM)}${more}`);
};

const withTable = (network: TestNetwork, text: string) => {
  load(network, text);
  return compareRulesets([SCENARIO, PLATFORM], parseNftJson(network.listing()));
};
