import assert from "node:assert/strict";
import { test } from "node:test";
import { printTables } from "../ruleset/index.js";
import { openBridgeLab } from "../testing/bridge-lab.js";
import { boundScenario, cidr, ipv4 } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { compileScenario } from "./index.js";

const ARRIVED_WITHIN_MS = 30_000;

/** What they are shown to refuses malformed packets by itself. */
const CALLS = ["net/bridge/bridge-nf-call-iptables", "net/bridge/bridge-nf-call-ip6tables"];

const THIEF = "02420a3d0102";
const FRIEND = "02420a3d0104";
const BROADCAST = "ffffffffffff";
const OWN_IP = "0a3d0102";
const FRIENDS_IP = "0a3d0104";

/** RFC 791: a header without payload. */
const ipHeader = (source: string, destination = FRIENDS_IP): string => {
  const header = (sum: number): string =>
    `450000140000000040fd${sum.toString(16).padStart(4, "0")}${source}${destination}`;
  let sum = 0;
  for (const word of header(0).match(/..../g) ?? []) sum += Number.parseInt(word, 16);
  return header(0xffff - (sum % 0xffff));
};

/** RFC 826: a reply of Ethernet and IPv4. */
const arp = (mac: string, ip: string): string =>
  `0001080006040002${mac}${ip}${FRIEND}${FRIENDS_IP}`;

const CONTROL = `${FRIEND}${THIEF}0800${ipHeader(OWN_IP)}`;

/** Each differs from a frame that passes in one thing. */
const REFUSED: Readonly<Record<string, string>> = {
  "a peer's address": `${FRIEND}${THIEF}0800${ipHeader("0a3d0103")}`,
  "a peer's MAC": `${FRIEND}02420a3d01030800${ipHeader(OWN_IP)}`,
  "a VLAN tag": `${FRIEND}${THIEF}810000050800${ipHeader(OWN_IP)}`,
  "priority in a VLAN tag without a VLAN": `${FRIEND}${THIEF}8100e0000800${ipHeader(OWN_IP)}`,
  "two VLAN tags": `${FRIEND}${THIEF}88a80005810000060800${ipHeader(OWN_IP)}`,
  "IPv4 in PPPoE": `${FRIEND}${THIEF}88641100000100160021${ipHeader(OWN_IP)}`,
  "IPv4 under IPv6's EtherType": `${FRIEND}${THIEF}86dd${ipHeader(OWN_IP)}`,
  "IPv4 under an experimental EtherType": `${FRIEND}${THIEF}88b5${ipHeader(OWN_IP)}`,
  "an IPv4 header that ends in its destination": `${FRIEND}${THIEF}0800${ipHeader(OWN_IP).slice(0, 36)}`,
  "a spanning tree message": `0180c2000000${THIEF}0026424203000000000000${"00".repeat(31)}`,
  "a broadcast": `${BROADCAST}${THIEF}0800${ipHeader(OWN_IP, BROADCAST.slice(4))}`,
  "a multicast": `01005e000001${THIEF}0800${ipHeader(OWN_IP, "e0000001")}`,
  "ARP with a peer's address": `${FRIEND}${THIEF}0806${arp(THIEF, "0a3d0103")}`,
  "ARP with the gateway's address": `${FRIEND}${THIEF}0806${arp(THIEF, "0a3d0101")}`,
  "ARP with a peer's MAC in it": `${FRIEND}${THIEF}0806${arp("02420a3d0103", OWN_IP)}`,
  "ARP from a peer's MAC": `${FRIEND}02420a3d01030806${arp(THIEF, OWN_IP)}`,
  "ARP that ends before its sender": `${FRIEND}${THIEF}08060001080006040002`,
  "ARP that ends in its sender's address": `${FRIEND}${THIEF}0806${arp(THIEF, OWN_IP).slice(0, 34)}`,
  "reverse ARP": `${FRIEND}${THIEF}8035${arp(THIEF, OWN_IP)}`,
};

test("only whole frames that are the port's own get to a peer", async (t) => {
  const network = {
    address: "provision.network.a",
    bridge: "br-a",
    cidr: cidr("10.61.1.0/24"),
    gateway: ipv4("10.61.1.1"),
  };
  const attachments = [
    ["thief", 2],
    ["victim", 3],
    ["friend", 4],
  ].map(([name, last]) => ({
    holder: `${name}`,
    network: network.address,
    bridge: network.bridge,
    ipv4: ipv4(`10.61.1.${last}`),
    mac: `02:42:0a:3d:01:0${last}`,
    port: `v-${name}`,
  }));
  const lab = await openBridgeLab(t, { networks: [network], attachments });
  const scenario = { ...boundScenario, networks: [network], attachments, rules: [] };
  const options = { owner: "lab", realisation: LAB_REALISATION } as const;
  const [thief, friend] = [lab.node("thief"), lab.node("friend")];

  // Neighbour discovery would be counted as well, while there are no rules.
  for (const node of [lab.router, ...attachments.map(({ holder }) => lab.node(holder))]) {
    node.set("net/ipv6/conf/all/disable_ipv6", "1");
  }

  // Whom it complains to about a protocol that it doesn't know; else it would ask, and be answered.
  friend.ip(
    "neigh replace 10.61.1.2 lladdr 02:42:0a:3d:01:02 dev eth0",
    "neigh replace 10.61.1.3 lladdr 02:42:0a:3d:01:03 dev eth0",
  );

  /** Sends frames and a control after them, and waits for as many as should arrive. */
  const arrive = async (frames: readonly string[], expected: number): Promise<number> => {
    const before = Number(await friend.received());
    thief.frames(...frames, CONTROL);
    const deadline = performance.now() + ARRIVED_WITHIN_MS;
    let arrived = 0;
    while (arrived <= expected && performance.now() < deadline) {
      arrived = Number(await friend.received()) - before;
    }
    return arrived - 1;
  };

  const all = Object.values(REFUSED);
  for (const setting of CALLS) lab.router.set(setting, "0");
  assert.equal(await arrive(all, all.length), all.length, "without rules all of them arrive");
  if (LAB_REALISATION === "br_netfilter") {
    for (const setting of CALLS) lab.router.set(setting, "1");
  }
  lab.router.nft(printTables(compileScenario({ ...scenario, default: "allow" }, options)));
  const before = Number(await friend.received());
  assert.equal(await arrive([`${FRIEND}${THIEF}0806${arp(THIEF, OWN_IP)}`], 1), 1, "its own ARP");
  for (const [what, frame] of Object.entries(REFUSED)) {
    assert.equal(await arrive([frame], 0), 0, what);
  }
  const controls = all.length + 2;
  assert.equal(Number(await friend.received()) - before, controls, "nothing came late");
});
