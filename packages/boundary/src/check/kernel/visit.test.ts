import assert from "node:assert/strict";
import { test } from "node:test";
import type { Realisation } from "../../model/index.js";
import { isTracked, traversalOf, type Way } from "./visit.js";

const nowhere: Way = {
  path: "bridged",
  inPort: null,
  inBridge: null,
  inInterface: null,
  outPort: null,
  outBridge: null,
  outInterface: null,
};
const within: Way = { ...nowhere, inPort: "a", inBridge: "br", outPort: "b", outBridge: "br" };

const hooks = (way: Way, etherType: "ip" | "arp", realisation: Realisation): readonly string[] =>
  traversalOf(way, etherType, realisation).map(
    ({ family, hook, iifname, oifname }) => `${family} ${hook} ${iifname}>${oifname}`,
  );

test("natively what stays on a bridge passes the bridge's hooks alone", () => {
  assert.deepEqual(hooks(within, "ip", "native"), [
    "bridge prerouting a>",
    "bridge forward a>b",
    "bridge postrouting >b",
  ]);
});

test("with br_netfilter IP's hooks see it between the bridge's own, from the bridge to itself", () => {
  assert.deepEqual(hooks(within, "ip", "br_netfilter"), [
    "bridge prerouting a>",
    "inet prerouting br>",
    "bridge prerouting a>",
    "bridge forward a>b",
    "inet forward br>br",
    "bridge forward a>b",
    "bridge postrouting >b",
    "inet postrouting >br",
  ]);
  assert.deepEqual(hooks(within, "arp", "br_netfilter"), hooks(within, "arp", "native"));
});

test("what is routed passes the bridge's input, IP's forward, and the other bridge's output", () => {
  const routed: Way = { ...within, path: "routed", outPort: "c", outBridge: "br2" };
  assert.deepEqual(hooks(routed, "ip", "native"), [
    "bridge prerouting a>",
    "bridge input a>",
    "inet prerouting br>",
    "inet forward br>br2",
    "inet postrouting br>br2",
    "bridge output >c",
    "bridge postrouting >c",
  ]);
});

test("the host's own packets begin at output, where nothing early has a state yet", () => {
  const sent: Way = { ...nowhere, path: "from-host", outPort: "b", outBridge: "br" };
  const [first] = traversalOf(sent, "ip", "native");
  assert.ok(first !== undefined);
  assert.equal(first.hook, "output");
  assert.equal(isTracked(first, -300), false);
  assert.equal(isTracked(first, -100), true);
});
