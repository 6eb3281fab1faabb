import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BoundPlatform } from "../model/index.js";
import { printTables } from "../ruleset/index.js";
import { type BridgeLab, openBridgeLab } from "../testing/bridge-lab.js";
import { boundPlatform, boundScenario, ipv4 } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { LabNode } from "../testing/lab-node.js";
import { compileFloor, compilePlatform, compileScenario } from "./index.js";

const OPTIONS = { owner: "lab", realisation: LAB_REALISATION } as const;

const RESOLVER = "10.200.0.53";
const OUTSIDE = "9.9.9.9";
const PRIVATE = "10.200.0.9";

/** The fixture's platform, with a resolver that is outside. */
const platform: BoundPlatform = {
  ...boundPlatform,
  egress: boundPlatform.egress && { ...boundPlatform.egress, resolvers: [ipv4(RESOLVER)] },
};

const gate = "platform.anchor.participant";
const manager = "platform.anchor.management";
const broker = "platform.anchor.egress";
const web = "provision.node.web";
const mail = "provision.node.mail";

/** The router has one more interface, which leads to the Internet. */
const outsideOf = async (t: TestContext, { router }: BridgeLab): Promise<LabNode> => {
  const outside = await LabNode.open(t);
  router.ip(
    `link add uplink type veth peer name eth0 netns ${outside.pid}`,
    "address add 10.200.0.1/24 dev uplink",
    "link set uplink up",
    "route add default via 10.200.0.9",
  );
  outside.ip(
    "link set lo up",
    "link set eth0 up",
    ...[PRIVATE, RESOLVER].map((address) => `address add ${address}/24 dev eth0`),
    `address add ${OUTSIDE}/32 dev lo`,
  );
  await Promise.all([
    ...[443, 80, 53].map((port) => outside.listen("tcp", port)),
    ...[443, 53, 123].map((port) => outside.listen("udp", port, OUTSIDE)),
    outside.listen("udp", 53, RESOLVER),
  ]);
  return outside;
};

const laboratory = async (t: TestContext) => {
  const dmz = boundScenario.attachments.filter(({ holder }) => [web, mail].includes(holder));
  // The broker's default route is on the egress network.
  const attachments = [...platform.attachments].sort((a, b) =>
    a.network === "platform.network.egress" ? -1 : b.network === "platform.network.egress" ? 1 : 0,
  );
  const lab = await openBridgeLab(t, {
    networks: [...boundScenario.networks, ...Object.values(platform.networks)],
    attachments: [...attachments, ...dmz],
  });
  const outside = await outsideOf(t, lab);
  await Promise.all([
    ...[8443, 8444].map((port) => lab.node(manager).listen("tcp", port)),
    ...[3128, 3129].map((port) => lab.node(broker).listen("tcp", port)),
    ...[8080, 8081].map((port) => lab.node(gate).listen("tcp", port)),
    lab.node(manager).listen("udp", 8443),
    ...[80, 25].flatMap((port) => [web, mail].map((name) => lab.node(name).listen("tcp", port))),
    lab.router.listen("tcp", 22),
  ]);
  return { lab, outside };
};

test("platform and scenario at once: what each allows of its own, and nothing between them", async (t) => {
  const { lab, outside } = await laboratory(t);
  const at = (name: string) => lab.node(name);
  const allowed = () => ({
    "a crossing": at(gate).tcp("10.99.2.20", 8443),
    "another crossing": at(manager).tcp("10.99.2.30", 3128),
    "an authority's port": at(broker).tcp(OUTSIDE, 443),
    "the resolver by UDP": at(broker).udp(RESOLVER, 53),
    "the resolver by TCP": at(broker).tcp(RESOLVER, 53),
    "a publication, from the host": lab.router.tcp("10.99.1.10", 8080),
    "the scenario's own flow": at(mail).tcp("10.60.2.8", 80),
  });
  const denied = () => ({
    "a crossing's next port": at(gate).tcp("10.99.2.20", 8444),
    "a crossing's port by UDP": at(gate).udp("10.99.2.20", 8443),
    "a crossing the other way": at(manager).tcp("10.99.2.10", 8080),
    "a crossing to the third": at(gate).tcp("10.99.2.30", 3128),
    "an anchor by the other network": at(broker).tcp("10.99.1.10", 8080),
    "another port outside": at(broker).tcp(OUTSIDE, 80),
    "QUIC outside": at(broker).udp(OUTSIDE, 443),
    "time outside": at(broker).udp(OUTSIDE, 123),
    "names from another than the resolver": at(broker).udp(OUTSIDE, 53),
    "a special-purpose address": at(broker).tcp(PRIVATE, 443),
    "the resolver by another port": at(broker).tcp(RESOLVER, 443),
    "an echo outside": at(broker).ping(OUTSIDE),
    "the Internet from another anchor": at(manager).tcp(OUTSIDE, 443),
    "the Internet from the scenario": at(mail).tcp(OUTSIDE, 443),
    "the host from an anchor": at(gate).tcp("10.99.1.1", 22),
    "the host from the scenario": at(mail).tcp("10.60.2.1", 22),
    "the host by a foreign gateway": at(mail).tcp("10.99.1.1", 22),
    "what isn't published, from the host": lab.router.tcp("10.99.1.10", 8081),
    "the scenario from the host": lab.router.tcp("10.60.2.8", 80),
    "the scenario from the platform": at(gate).tcp("10.60.2.8", 80),
    "the platform from the scenario": at(mail).tcp("10.99.1.10", 8080),
    "the platform from outside": outside.tcp("10.99.3.30", 3128),
    "a publication from outside": outside.tcp("10.99.1.10", 8080),
    "the scenario's denied flow": at(web).tcp("10.60.2.9", 25),
  });
  const answersOf = async (probes: Readonly<Record<string, Promise<unknown>>>) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(probes).map(async ([name, answer]) => [name, await answer] as const),
      ),
    );
  const all = (names: object, answer: string) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, answer]));
  outside.ip("route add 10.99.0.0/16 via 10.200.0.1", "route add 10.60.0.0/16 via 10.200.0.1");

  const before = await answersOf({ ...allowed(), ...denied() });
  assert.deepEqual(before, all(before, "reached"), "without rules everything is reached");

  outside.ip("route delete 10.99.0.0/16 via 10.200.0.1");
  lab.router.nft(printTables(compilePlatform(platform, OPTIONS)));
  lab.router.nft(printTables(compileScenario(boundScenario, OPTIONS)));
  const passed = await answersOf(allowed());
  assert.deepEqual(passed, all(passed, "reached"), "outside knows only the appliance's address");
  outside.ip("route add 10.99.0.0/16 via 10.200.0.1");
  const dropped = await answersOf(denied());
  assert.deepEqual(dropped, all(dropped, "blocked"));

  await t.test("dropping to the floor cuts connections that are open", async () => {
    assert.equal(await at(gate).hold("10.99.2.20", 8443), "reached");
    assert.equal(await at(broker).hold(OUTSIDE, 443), "reached");
    assert.equal(await at(mail).hold("10.60.2.8", 80), "reached");
    const ports = platform.attachments.flatMap(({ port }) => port ?? []);
    const networks = Object.values(platform.networks);
    lab.router.nft(printTables(compileFloor("platform", { networks, ports }, OPTIONS)));
    assert.deepEqual(await Promise.all([gate, broker, mail].map((name) => at(name).again())), [
      "blocked",
      "blocked",
      "reached",
    ]);
    // A floor without the ports' names is as dense.
    lab.router.nft(
      printTables(
        compileFloor("scenario", { networks: boundScenario.networks, ports: [] }, OPTIONS),
      ),
    );
    assert.equal(await at(mail).again(), "blocked");
    assert.equal(await lab.router.tcp("10.99.1.10", 8080), "blocked");
    lab.router.nft(printTables(compilePlatform(platform, OPTIONS)));
    assert.equal(await at(gate).tcp("10.99.2.20", 8443), "reached");
  });
});
