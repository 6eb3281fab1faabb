import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatIpv4 } from "../model/index.js";
import { printTables } from "../ruleset/index.js";
import { type BridgeLab, openBridgeLab } from "../testing/bridge-lab.js";
import { boundScenario, plan } from "../testing/index.js";
import { LAB_REALISATION } from "../testing/lab-kernel.js";
import { compileScenario } from "./index.js";

/** Source, destination, the network to reach it on, protocol and port, and what the plan says. */
type Cell = readonly [
  source: string,
  destination: string,
  network: string,
  protocol: "tcp" | "udp" | "icmp",
  port: number,
  expected: "reached" | "blocked",
];

/** Neighbouring cells differ in one thing: who, whom, how or where. */
const CELLS: readonly Cell[] = [
  // Routed; three owners speak: the network, and both nodes.
  ["web", "database", "lan", "tcp", 5432, "reached"],
  ["web", "database", "lan", "tcp", 5433, "blocked"],
  ["mail", "database", "lan", "tcp", 5432, "reached"],
  ["mail", "database", "lan", "udp", 5432, "blocked"],
  ["attacker", "database", "lan", "tcp", 5432, "blocked"],
  ["web", "workstation", "lan", "tcp", 5432, "reached"],
  ["web", "workstation", "lan", "tcp", 22, "blocked"],
  ["attacker", "web", "dmz", "tcp", 80, "reached"],
  ["attacker", "web", "dmz", "tcp", 81, "blocked"],
  ["attacker", "web", "dmz", "icmp", 0, "blocked"],
  ["attacker", "mail", "dmz", "icmp", 0, "reached"],
  ["attacker", "mail", "dmz", "tcp", 143, "blocked"],
  ["workstation", "mail", "dmz", "tcp", 143, "reached"],
  ["workstation", "attacker", "wan", "tcp", 80, "blocked"],
  // Within one bridge.
  ["workstation", "database", "lan", "tcp", 5432, "reached"],
  ["workstation", "database", "lan", "tcp", 22, "blocked"],
  ["database", "workstation", "lan", "tcp", 5432, "blocked"],
  ["mail", "web", "dmz", "tcp", 80, "reached"],
  ["web", "mail", "dmz", "tcp", 25, "blocked"],
  // Its inout deny stands after the one that it allows, whose replies pass.
  ["workstation", "sensor", "lan", "udp", 514, "reached"],
  ["workstation", "sensor", "lan", "udp", 515, "blocked"],
  ["mail", "sensor", "dmz", "udp", 514, "reached"],
  ["sensor", "mail", "dmz", "tcp", 25, "blocked"],
];

const nodeOf = (name: string): string => `provision.node.${name}`;

const addressOf = (name: string, network: string): string => {
  const found = boundScenario.attachments.find(
    (each) => each.holder === nodeOf(name) && each.network === `provision.network.${network}`,
  );
  assert.ok(found !== undefined, `${name} on ${network}`);
  return formatIpv4(found.ipv4);
};

const laboratory = async (t: TestContext): Promise<BridgeLab> => {
  const lab = await openBridgeLab(t, {
    networks: boundScenario.networks,
    attachments: plan.nodes.flatMap(({ address, attachments }) =>
      attachments.flatMap(({ network }) =>
        boundScenario.attachments.filter(
          (each) => each.holder === address && each.network === network,
        ),
      ),
    ),
  });
  const listeners = new Map(
    CELLS.map(([, to, , protocol, port]) => [`${to} ${protocol} ${port}`, { to, protocol, port }]),
  );
  await Promise.all(
    [...listeners.values()].map(async ({ to, protocol, port }) => {
      if (protocol !== "icmp") await lab.node(nodeOf(to)).listen(protocol, port);
    }),
  );
  return lab;
};

const probe = async (lab: BridgeLab, cell: Cell) => {
  const [source, destination, network, protocol, port] = cell;
  const from = lab.node(nodeOf(source));
  const host = addressOf(destination, network);
  return protocol === "icmp" ? await from.ping(host) : await from[protocol](host, port);
};

const probeAll = async (lab: BridgeLab) =>
  Object.fromEntries(
    await Promise.all(
      CELLS.map(async (cell) => [cell.slice(0, 5).join(" "), await probe(lab, cell)] as const),
    ),
  );

test("what the plan allows passes and nothing else, routed and within a bridge", async (t) => {
  const lab = await laboratory(t);
  assert.deepEqual(
    await probeAll(lab),
    Object.fromEntries(CELLS.map((cell) => [cell.slice(0, 5).join(" "), "reached"])),
    "without rules everything is reached",
  );
  lab.router.nft(
    printTables(compileScenario(boundScenario, { owner: "lab", realisation: LAB_REALISATION })),
  );
  assert.deepEqual(
    await probeAll(lab),
    Object.fromEntries(CELLS.map((cell) => [cell.slice(0, 5).join(" "), cell[5]])),
  );
});
