import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareSettings, expectedSettings } from "./settings.js";

const scope = { realisation: "br_netfilter", bridges: ["br-one"], routes: true } as const;

const RIGHT: readonly (readonly [string, string | null])[] = [
  ["bridge/br-one/no_linklocal_learn", "1"],
  ["net/bridge/bridge-nf-call-iptables", "1"],
  ["net/bridge/bridge-nf-call-ip6tables", "1"],
  ["net/bridge/bridge-nf-filter-vlan-tagged", "0"],
  ["net/bridge/bridge-nf-filter-pppoe-tagged", "0"],
  ["net/ipv4/ip_forward", "1"],
  ["net/netfilter/nf_conntrack_helper", null],
  ["proc/ip_tables_names", null],
  ["proc/ip6_tables_names", null],
  ["proc/arp_tables_names", null],
  ["net/ipv4/conf/all/accept_redirects", "0"],
  ["net/ipv4/conf/all/accept_source_route", "0"],
];

describe("what the rules depend on outside of the tables", () => {
  it("is equal when every setting is as expected", () => {
    assert.deepEqual(compareSettings(expectedSettings(scope), new Map(RIGHT)), []);
  });

  it("names each setting that is another, and each that wasn't read", () => {
    for (const [name, value] of RIGHT) {
      const other = new Map([...RIGHT, [name, value === "1" ? "0" : "1"]] as const);
      const [found, more] = compareSettings(expectedSettings(scope), other);
      assert.deepEqual([found?.kind, found?.rule, more], ["setting", name, undefined]);

      const unread = new Map(RIGHT.filter(([each]) => each !== name));
      assert.equal(compareSettings(expectedSettings(scope), unread)[0]?.found, "unknown");
    }
  });

  it("asks the opposite of br_netfilter when bridges judge their own frames", () => {
    const native = expectedSettings({ ...scope, realisation: "native" });
    const values = new Map<string, string | null>([
      ...RIGHT,
      ["net/bridge/bridge-nf-call-iptables", "0"],
      ["net/bridge/bridge-nf-call-ip6tables", "0"],
      ["net/bridge/bridge-nf-call-arptables", "0"],
      ["bridge/br-one/nf_call_iptables", "0"],
      ["bridge/br-one/nf_call_ip6tables", "0"],
      ["bridge/br-one/nf_call_arptables", "0"],
    ]);
    assert.deepEqual(compareSettings(native, values), []);
    values.set("bridge/br-one/nf_call_iptables", "1");
    assert.equal(compareSettings(native, values)[0]?.rule, "bridge/br-one/nf_call_iptables");
  });
});
