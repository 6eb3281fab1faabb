#!/usr/bin/env node
// What the exhaustive check costs: both authorities' rulesets against everything that plan and
// policy mean, for every class of packets. 1,000 authored rules over 50 nodes, in both
// realisations; the target is two seconds. One JSON object. Build first with `npx tsc -b`.
import {
  checkExhaustively,
  compilePlatform,
  compileScenario,
} from "../packages/boundary/dist/index.js";
import { boundPlatform } from "../packages/boundary/dist/testing/index.js";
import { spread } from "./lib/stats.mjs";

const TARGET_MS = 2_000;
const NODES = 50;
const NETWORKS = 5;
const RULES = 1_000;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_ROUNDS ?? 5);

/** The same plan every time: a linear congruential generator (Numerical Recipes). */
let state = 1;
const below = (limit) => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return Math.floor((state / 2 ** 32) * limit);
};

const networks = Array.from({ length: NETWORKS }, (_, index) => {
  const base = 0x0a3c_0000 + index * 256;
  const address = `provision.network.n${index}`;
  return { address, bridge: `br-n${index}`, cidr: { base, prefix: 24 }, gateway: base + 1 };
});

const macOf = (address) =>
  `02:42:${[24, 16, 8, 0].map((shift) => ((address >>> shift) & 255).toString(16).padStart(2, "0")).join(":")}`;

const attachmentsOf = (node) =>
  (node % 7 === 0 ? [node, node + 1] : [node]).map((index) => {
    const { address, bridge, cidr } = networks[index % NETWORKS];
    const ipv4 = cidr.base + 10 + node;
    const port = `v${index % NETWORKS}m${node}`;
    return {
      holder: `provision.node.m${node}`,
      network: address,
      bridge,
      ipv4,
      mac: macOf(ipv4),
      port,
    };
  });

const owners = [
  ...networks.map(({ address }) => address),
  ...Array.from({ length: NODES }, (_, node) => `provision.node.m${node}`),
];

const ruleOf = (index) => {
  const owner = owners[index % owners.length];
  const protocol = ["tcp", "tcp", "tcp", "udp", "udp", "icmp", "any"][below(7)];
  const hasPorts = protocol === "tcp" || protocol === "udp";
  const order = Math.floor(index / owners.length);
  const some = () => (below(3) > 0 ? null : networks[below(NETWORKS)].address);
  return {
    owner,
    ownerType: owner.startsWith("provision.node.") ? "node" : "network",
    name: `r${order}`,
    order,
    direction: ["in", "out", "inout"][below(3)],
    from: some(),
    to: some(),
    protocol,
    ports: hasPorts
      ? [...new Set(Array.from({ length: 1 + below(3) }, () => 1 + below(2_000)))].sort(
          (one, other) => one - other,
        )
      : [],
    action: below(3) > 0 ? "allow" : "deny",
    line: index + 1,
  };
};

const scenario = {
  planDigest: boundPlatform.policyDigest,
  default: "deny",
  networks,
  attachments: Array.from({ length: NODES }, (_, node) => attachmentsOf(node)).flat(),
  rules: Array.from({ length: RULES }, (_, index) => ruleOf(index)),
};

const results = {};
for (const realisation of ["native", "br_netfilter"]) {
  const options = { owner: "bench", realisation };
  const rulesets = [compileScenario(scenario, options), compilePlatform(boundPlatform, options)];
  const wall = [];
  const cpu = [];
  let cells = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    const report = checkExhaustively({ scenario, platform: boundPlatform, rulesets });
    const { user, system } = process.cpuUsage(used);
    wall.push(performance.now() - began);
    cpu.push((user + system) / 1_000);
    cells = report.cells;
    if (!report.ok) throw new Error(`${report.differing} classes of packets differ`);
  }
  results[realisation] = { cells, wallMs: spread(wall), cpuMs: spread(cpu) };
}
const fastest = Math.max(...Object.values(results).map(({ wallMs }) => wallMs.min));
console.log(
  JSON.stringify({
    bench: "boundary-check",
    rules: RULES,
    nodes: NODES,
    ...results,
    targetMs: TARGET_MS,
    ratio: fastest / TARGET_MS,
  }),
);
