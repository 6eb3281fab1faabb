import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BoundAttachment, BoundNetwork, BoundScenario } from "../model/index.js";
import { printTables } from "../ruleset/index.js";
import { type BridgeLab, openBridgeLab } from "../testing/bridge-lab.js";
import { boundScenario, cidr, ipv4 } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { compileScenario } from "./index.js";

/** Two networks; everything is allowed, so that only who somebody is decides. */
const NETWORKS: readonly BoundNetwork[] = [
  {
    address: "provision.network.a",
    bridge: "br-a",
    cidr: cidr("10.61.1.0/24"),
    gateway: ipv4("10.61.1.1"),
  },
  {
    address: "provision.network.b",
    bridge: "br-b",
    cidr: cidr("10.61.2.0/24"),
    gateway: ipv4("10.61.2.1"),
  },
];

const attached = (name: string, network: "a" | "b", last: number): BoundAttachment => ({
  holder: name,
  network: `provision.network.${network}`,
  bridge: `br-${network}`,
  ipv4: ipv4(`10.61.${network === "a" ? 1 : 2}.${last}`),
  mac: `02:42:0a:3d:0${network === "a" ? 1 : 2}:0${last}`,
  port: `v-${name}-${network}`,
});

const ATTACHMENTS = [
  attached("thief", "a", 2),
  attached("victim", "a", 3),
  attached("friend", "a", 4),
  attached("server", "b", 5),
  // Multi-homed: it answers to either of its addresses on either network.
  attached("both", "a", 6),
  attached("both", "b", 6),
];

const open: BoundScenario = {
  ...boundScenario,
  default: "allow",
  networks: NETWORKS,
  attachments: ATTACHMENTS,
  rules: [],
};

const load = (lab: BridgeLab, scenario: BoundScenario): void =>
  lab.router.nft(
    printTables(compileScenario(scenario, { owner: "lab", realisation: LAB_REALISATION })),
  );

const laboratory = async (t: TestContext) => {
  const lab = await openBridgeLab(t, { networks: NETWORKS, attachments: ATTACHMENTS });
  const { thief, victim, friend, server, both } = {
    thief: lab.node("thief"),
    victim: lab.node("victim"),
    friend: lab.node("friend"),
    server: lab.node("server"),
    both: lab.node("both"),
  };
  await Promise.all(
    [thief, victim, friend, server, both, lab.router].flatMap((node) => [
      node.listen("tcp", 80),
      node.listen("udp", 90),
    ]),
  );
  load(lab, open);
  return { lab, thief, victim, friend, server, both };
};

test("a node keeps to its own address, MAC and ARP entry", async (t) => {
  const { lab, thief, victim, friend, server, both } = await laboratory(t);

  await t.test("its own identity passes: the control of all that follows", async () => {
    assert.equal(await thief.tcp("10.61.1.4", 80), "reached");
    assert.equal(await thief.udp("10.61.2.5", 90), "reached");
    assert.equal(await thief.ping("10.61.1.4"), "reached");
    assert.equal(await thief.arping("10.61.1.4"), "reached");
    assert.equal(await thief.arping("10.61.1.1"), "reached", "the host, which is the router");
  });

  await t.test("a peer's address, an unused one and the gateway's don't", async () => {
    thief.set("net/ipv4/conf/eth0/route_localnet", "1");
    const addresses = ["10.61.1.3", "10.61.1.77", "10.61.1.1", "10.61.2.5", "127.0.0.9"];
    thief.ip(...addresses.map((address) => `address add ${address}/32 dev eth0`));
    const before = await friend.heard(90);
    const answers = await Promise.all(
      addresses.flatMap((address) => [
        thief.udp("10.61.1.4", 90, { host: address, port: 0 }),
        thief.arping("10.61.1.4", address),
      ]),
    );
    assert.deepEqual(
      answers,
      answers.map(() => "blocked"),
    );
    assert.equal(await friend.heard(90), before, "nor got anything there");
    thief.ip(...addresses.map((address) => `address delete ${address}/32 dev eth0`));
    assert.equal(await thief.udp("10.61.1.4", 90, { host: "10.61.1.2", port: 0 }), "reached");
  });

  await t.test("a peer's MAC doesn't, and its frames stay its own", async () => {
    thief.ip("link set eth0 address 02:42:0a:3d:01:03");
    assert.equal(await thief.ping("10.61.1.4"), "blocked");
    // Frames to these groups skip prerouting, and a bridge learns from them: from most in its
    // input hook, which has rules, from LLDP's (0e) before any, unless the bridge is told not to.
    const isLearned = async (group: string, learning: "on" | "off"): Promise<boolean> => {
      lab.router.ip(`link set br-a type bridge no_linklocal_learn ${learning === "on" ? 0 : 1}`);
      thief.ip(`neigh replace 10.61.1.4 lladdr ${group} dev eth0`);
      assert.equal(await thief.udp("10.61.1.4", 90), "blocked");
      const learned = lab.router.run("bridge", "fdb", "show", "br", "br-a");
      return learned.includes("02:42:0a:3d:01:03 dev v-thief-a");
    };
    assert.equal(await isLearned("01:80:c2:00:00:02", "on"), false);
    assert.equal(await isLearned("01:80:c2:00:00:0e", "on"), true, "no rule can keep it from that");
    lab.router.run("bridge", "fdb", "del", "02:42:0a:3d:01:03", "dev", "v-thief-a", "master");
    assert.equal(await isLearned("01:80:c2:00:00:0e", "off"), false);
    thief.ip("neigh delete 10.61.1.4 dev eth0", "link set eth0 address 02:42:0a:3d:01:02");
    assert.equal(await victim.tcp("10.61.1.4", 80), "reached");
    assert.equal(await thief.tcp("10.61.1.4", 80), "reached");
  });

  await t.test("an ARP answer in a peer's or the gateway's name isn't heard", async () => {
    thief.ip("address add 10.61.1.3/32 dev eth0", "address add 10.61.1.1/32 dev eth0");
    victim.ip("link set eth0 down");
    friend.ip("neigh flush all");
    assert.equal(await friend.arping("10.61.1.3"), "blocked", "only the thief could answer");
    victim.ip("link set eth0 up", "route add default via 10.61.1.1");
    assert.equal(await friend.arping("10.61.1.3"), "reached");
    assert.equal(await friend.tcp("10.61.2.5", 80), "reached", "by the real gateway");
    assert.equal(await friend.tcp("10.61.1.3", 80), "reached");
    assert.match(friend.run("ip", "neigh", "show", "10.61.1.3"), /02:42:0a:3d:01:03/);
    thief.ip("address delete 10.61.1.3/32 dev eth0", "address delete 10.61.1.1/32 dev eth0");
  });

  await t.test(
    "a packet for one peer isn't delivered to another that has its MAC in it",
    async () => {
      const before = await friend.heard(90);
      friend.ip("address add 10.61.1.3/32 dev lo");
      thief.ip("neigh replace 10.61.1.3 lladdr 02:42:0a:3d:01:04 dev eth0");
      assert.equal(await thief.udp("10.61.1.3", 90), "blocked");
      assert.equal(await friend.heard(90), before);
      friend.ip("address delete 10.61.1.3/32 dev lo");
      thief.ip("neigh delete 10.61.1.3 dev eth0");
      assert.equal(await thief.udp("10.61.1.3", 90), "reached");
    },
  );

  await t.test("a node's address on another network isn't reached by way of this one", async () => {
    thief.ip(
      "route add 10.61.2.6/32 dev eth0",
      "neigh replace 10.61.2.6 lladdr 02:42:0a:3d:01:06 dev eth0",
    );
    const before = await both.heard(90);
    assert.equal(await thief.udp("10.61.2.6", 90), "blocked");
    assert.equal(await both.heard(90), before);
    thief.ip("route delete 10.61.2.6/32", "neigh delete 10.61.2.6 dev eth0");
    assert.equal(await thief.udp("10.61.1.6", 90), "reached");
  });

  await t.test("broadcasts and floods reach nobody", async () => {
    const before = [await friend.heard(90), await victim.heard(90)];
    thief.ip("neigh replace 10.61.1.4 lladdr 02:42:0a:3d:01:99 dev eth0");
    assert.deepEqual(
      await Promise.all([thief.udp("10.61.1.255", 90), thief.udp("10.61.1.4", 90)]),
      ["blocked", "blocked"],
    );
    thief.ip("neigh delete 10.61.1.4 dev eth0");
    assert.deepEqual([await friend.heard(90), await victim.heard(90)], before);
    assert.equal(await thief.udp("10.61.1.4", 90), "reached");
  });

  await t.test("IPv6 that is switched on later goes nowhere", async () => {
    for (const [node, last] of [
      [thief, 2],
      [friend, 4],
    ] as const) {
      node.ip(`address add fd00::${last}/64 dev eth0 nodad`);
    }
    lab.router.ip("address add fd00::1/64 dev br-a nodad");
    assert.deepEqual(await Promise.all([thief.ping6("fd00::4"), thief.ping6("fd00::1")]), [
      "blocked",
      "blocked",
    ]);
    lab.router.run("nft", "flush", "ruleset");
    // Who was asked for in vain isn't asked for again for some seconds.
    for (const node of [thief, friend]) node.ip("neigh flush dev eth0");
    assert.equal(await thief.ping6("fd00::4"), "reached", "the rules were what kept it");
    load(lab, open);
  });

  await t.test("host and scenario don't talk, whatever address is asked", async () => {
    const answers = await Promise.all([
      ...["10.61.1.1", "10.61.2.1"].flatMap((host) => [thief.tcp(host, 80), thief.ping(host)]),
      lab.router.tcp("10.61.1.4", 80),
      lab.router.ping("10.61.1.4"),
    ]);
    assert.deepEqual(
      answers,
      answers.map(() => "blocked"),
    );
    lab.router.run("nft", "flush", "ruleset");
    assert.equal(await thief.tcp("10.61.1.1", 80), "reached");
    assert.equal(await lab.router.tcp("10.61.1.4", 80), "reached");
    load(lab, open);
  });

  await t.test("a hairpin through the router is judged like the bridge", async () => {
    const gateway = /lladdr (\S+)/.exec(thief.run("ip", "neigh", "show", "10.61.1.1"))?.[1];
    assert.ok(gateway !== undefined);
    thief.ip(`neigh replace 10.61.1.4 lladdr ${gateway} dev eth0`);
    assert.equal(await thief.udp("10.61.1.4", 90), "reached");
    const deny: BoundScenario = {
      ...open,
      rules: [
        {
          owner: "friend",
          ownerType: "node",
          name: "nobody",
          order: 0,
          direction: "in",
          from: null,
          to: null,
          protocol: "udp",
          ports: [90],
          action: "deny",
          line: 1,
        },
      ],
    };
    load(lab, deny);
    assert.equal(await thief.udp("10.61.1.4", 90), "blocked");
    thief.ip("neigh delete 10.61.1.4 dev eth0");
    assert.equal(await thief.udp("10.61.1.4", 90), "blocked");
    assert.equal(await thief.tcp("10.61.1.4", 80), "reached");
    load(lab, open);
  });

  await t.test("fragments are put together before they are judged", async () => {
    assert.equal(await thief.udp("10.61.1.4", 90, null, 4_000), "reached");
    assert.equal(await thief.udp("10.61.2.5", 90, null, 4_000), "reached");
  });

  await t.test(
    "a port that is bound to nothing reaches nobody until it is bound again",
    async () => {
      await lab.rename("v-thief-a", "v-thief-new");
      assert.deepEqual(
        await Promise.all([
          thief.tcp("10.61.1.4", 80),
          thief.tcp("10.61.2.5", 80),
          thief.arping("10.61.1.4"),
          friend.tcp("10.61.1.2", 80),
          server.tcp("10.61.1.2", 80),
        ]),
        ["blocked", "blocked", "blocked", "blocked", "blocked"],
      );
      load(lab, {
        ...open,
        attachments: ATTACHMENTS.map((each) =>
          each.holder === "thief" ? { ...each, port: "v-thief-new" } : each,
        ),
      });
      // They asked in vain for a while, and may be about to give up.
      for (const node of [thief, friend, lab.router]) node.ip("neigh flush all");
      assert.equal(await thief.tcp("10.61.1.4", 80), "reached");
      assert.equal(await server.tcp("10.61.1.2", 80), "reached");
    },
  );
});
