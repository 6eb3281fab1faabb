import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoundAttachment, Packet } from "../model/index.js";
import { boundPlatform, boundScenario, ipv4 } from "../testing/index.js";
import { type Boundary, expectedAction } from "./packet.js";

const boundary: Boundary = { scenario: boundScenario, platform: boundPlatform };

const attached = (holder: string, bridge: string): BoundAttachment => {
  const all = [...boundScenario.attachments, ...boundPlatform.attachments];
  const found = all.find((each) => each.holder.endsWith(`.${holder}`) && each.bridge === bridge);
  assert.ok(found !== undefined, `${holder} on ${bridge}`);
  return found;
};

const nowhere = {
  inPort: null,
  inBridge: null,
  inInterface: null,
  outPort: null,
  outBridge: null,
  outInterface: null,
} as const;

const from = ({ port, bridge, mac, ipv4: address }: BoundAttachment) => ({
  inPort: port,
  inBridge: bridge,
  sourceMac: mac,
  arpMac: mac,
  source: address,
});

const to = ({ port, bridge, ipv4: address }: BoundAttachment) => ({
  outPort: port,
  outBridge: bridge,
  destination: address,
});

const packet = (given: Partial<Packet>): Packet => ({
  ...nowhere,
  path: "bridged",
  etherType: "ip",
  sourceMac: "0e:00:00:00:00:01",
  arpMac: "0e:00:00:00:00:01",
  source: 0,
  destination: 0,
  protocol: "tcp",
  port: 5432,
  state: "new",
  ...given,
});

/** Each is a control that passes, and variants that differ from it in what they name alone. */
const cases: readonly {
  readonly name: string;
  readonly passes: Packet;
  readonly denied: Readonly<Record<string, Partial<Packet>>>;
}[] = [
  {
    name: "on one bridge",
    passes: packet({
      ...from(attached("workstation", "br-lan")),
      ...to(attached("database", "br-lan")),
    }),
    denied: {
      "a peer's MAC": { sourceMac: attached("sensor", "br-lan").mac },
      "a peer's address": { source: ipv4("10.60.1.30") },
      "from a port that is bound to nothing": { inPort: "stranger" },
      "to a port that is bound to nothing": { outPort: "stranger" },
      "to another's port": { outPort: attached("sensor", "br-lan").port },
      "an address of another network": { destination: ipv4("10.60.2.8") },
      "the broadcast address": { destination: ipv4("10.60.1.255") },
      IPv6: { etherType: "ip6" },
      "another EtherType": { etherType: "other" },
      "another port": { port: 5433 },
      "another protocol": { protocol: "udp" },
      "a state that belongs to nothing": { state: "invalid" },
    },
  },
  {
    name: "ARP",
    passes: packet({
      ...from(attached("attacker", "br-wan")),
      path: "to-host",
      etherType: "arp",
      protocol: "other",
      state: "invalid",
    }),
    denied: {
      "of the gateway's address": { source: ipv4("10.60.3.1") },
      "of another MAC in the payload": { arpMac: attached("web", "br-dmz").mac },
      "from another MAC": { sourceMac: attached("web", "br-dmz").mac },
      "instead of it, IPv4 to the host": { etherType: "ip" },
    },
  },
  {
    name: "routed",
    passes: packet({
      ...from(attached("web", "br-dmz")),
      ...to(attached("database", "br-lan")),
      path: "routed",
    }),
    denied: {
      "an address where nobody is": { destination: ipv4("10.60.1.99") },
      "behind another port": { outPort: attached("workstation", "br-lan").port },
      "out of the scenario": { outPort: null, outBridge: null, outInterface: "eth0" },
      "onto the platform": { ...to(attached("management", "br-management")) },
      "from outside": { inPort: null, inBridge: null, inInterface: "eth0" },
      "from the platform": { ...from(attached("management", "br-management")) },
    },
  },
  {
    name: "a reply under an inout deny",
    passes: packet({
      ...from(attached("sensor", "br-lan")),
      ...to(attached("workstation", "br-lan")),
      state: "established",
    }),
    denied: {
      "that is a new flow": { state: "new" },
      "that nobody tracks": { state: "untracked" },
      "that only a helper calls related": { state: "related" },
      "to an address where nobody is": { destination: ipv4("10.60.1.99") },
    },
  },
  {
    name: "a crossing",
    passes: packet({
      ...from(attached("participant", "br-management")),
      ...to(attached("management", "br-management")),
      port: 8443,
    }),
    denied: {
      "on another port": { port: 8444 },
      "the other way": {
        ...from(attached("management", "br-management")),
        ...to(attached("participant", "br-management")),
      },
      "from another anchor": { ...from(attached("egress", "br-management")) },
    },
  },
  {
    name: "egress",
    passes: packet({
      ...from(attached("egress", "br-egress")),
      path: "routed",
      outInterface: "eth0",
      destination: ipv4("93.184.216.34"),
      port: 443,
    }),
    denied: {
      "to metadata": { destination: ipv4("169.254.169.254") },
      "to a private address": { destination: ipv4("192.168.1.1") },
      "on an unsigned port": { port: 80 },
      "of QUIC": { protocol: "udp" },
      "of DNS to who isn't signed": { protocol: "udp", port: 53 },
      "from the anchor's other network": { ...from(attached("egress", "br-management")) },
    },
  },
  {
    name: "a publication",
    passes: packet({
      ...to(attached("participant", "br-participant")),
      path: "from-host",
      source: ipv4("10.99.1.1"),
      port: 8080,
    }),
    denied: {
      "on another port": { port: 8081 },
      "of another protocol": { protocol: "udp" },
      "to the anchor's other network": { ...to(attached("participant", "br-management")) },
      "to a scenario's node": { ...to(attached("web", "br-dmz")) },
    },
  },
];

for (const { name, passes, denied } of cases) {
  test(`${name}: the control passes`, () => {
    assert.equal(expectedAction(boundary, passes), "allow");
  });
  for (const [how, difference] of Object.entries(denied)) {
    test(`${name}: not ${how}`, () => {
      assert.equal(expectedAction(boundary, { ...passes, ...difference }), "deny");
    });
  }
}

test("a network that is nobody's is none of the boundary's business", () => {
  const elsewhere = packet({
    inPort: "veth1",
    inBridge: "docker0",
    outPort: "veth2",
    outBridge: "docker0",
  });
  for (const etherType of ["ip", "ip6", "arp", "other"] as const) {
    assert.equal(expectedAction(boundary, { ...elsewhere, etherType }), "allow");
  }
});

test("where a container doesn't run, nothing of it is bound", () => {
  const stopped: Boundary = {
    ...boundary,
    scenario: {
      ...boundScenario,
      attachments: boundScenario.attachments.map((each) =>
        each.holder.endsWith(".database") ? { ...each, port: null } : each,
      ),
    },
  };
  const control = cases[0]?.passes;
  assert.ok(control !== undefined);
  assert.equal(expectedAction(stopped, control), "deny");
  assert.equal(expectedAction(boundary, control), "allow");
});
