#!/usr/bin/env node
// What rules cost that packets pass: MiB a second and new connections a second between containers,
// on one bridge and routed, with both authorities' tables loaded beside none, round by round, and
// beside one rule that asks for a connection's state, which is what tracking alone costs. Of the
// example, and of plans of 1,000 and 5,000 rules over 50 nodes. Processor time, of both ends and of
// what the kernel does for their packets, is given as well: it depends less on what else the
// machine does. Nodes are network namespaces behind bridges, as an engine makes them. In
// namespaces of its own; needs root. DRYDOCK_LAB_REALISATION=native on a kernel that has it. One
// JSON object.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compilePlatform,
  compileScenario,
  formatIpv4,
  judgeScenario,
  printTables,
} from "../packages/boundary/dist/index.js";
import { openBridgeLab } from "../packages/boundary/dist/testing/bridge-lab.js";
import { boundPlatform, boundScenario } from "../packages/boundary/dist/testing/index.js";
import { LAB_REALISATION } from "../packages/boundary/dist/testing/lab-kernel.js";
import { enterPrivate } from "./lib/private.mjs";
import { scenarioOf } from "./lib/scenario.mjs";
import { interleaved, median, ROUNDS, rounded } from "./lib/stats.mjs";
import { buildLoad, loadWith } from "./lib/tunnels.mjs";

enterPrivate(import.meta.url);

const TARGET = 0.9;
const STREAMS = 4;
/** Small, and many turns of each: a slice that nothing else disturbed is among them. */
const BYTES = 64 * 2 ** 20;
const CONNECTIONS = 500;
const SLICES = 4 * ROUNDS;
const AT_ONCE = 64;
const SIZES = [1_000, 5_000];
const NODES = 50;

const OPTIONS = { owner: "bench", realisation: LAB_REALISATION };
const tablesOf = (scenario) =>
  [compilePlatform(boundPlatform, OPTIONS), compileScenario(scenario, OPTIONS)]
    .map((ruleset) => printTables(ruleset))
    .join("");
const countRules = (tables) => tables.split("\n").filter((line) => line.includes("comment")).length;

/** Each begins without rules and without what was tracked under others. */
const BASELINES = {
  none: "flush ruleset\n",
  tracking:
    "flush ruleset\ntable inet t { chain f { type filter hook forward priority 0; ct state established accept; }; }\n",
};

/** Both are flows that the fixture's plan allows: one within a bridge, one through the router. */
const EXAMPLE = {
  scenarios: { loaded: boundScenario },
  server: { node: "provision.node.database", address: "10.60.1.10", port: 5432 },
  paths: { bridged: "provision.node.workstation", routed: "provision.node.web" },
};

/** Flows that the plans of each size allow, to a port that only rules about any port speak of. */
const grown = () => {
  const scenarios = SIZES.map((rules) => scenarioOf({ rules, nodes: NODES }));
  const { attachments } = scenarios[0];
  const places = attachments.filter(
    ({ holder }) => attachments.filter((other) => other.holder === holder).length === 1,
  );
  const port = 30_000;
  const isAllowed = (source, destination) =>
    scenarios.every(
      (bound) =>
        judgeScenario(bound, { source, destination, protocol: "tcp", port }).action === "allow",
    );
  for (const server of places) {
    const clients = places.filter((client) => client !== server && isAllowed(client, server));
    const bridged = clients.find(({ network }) => network === server.network);
    const routed = clients.find(({ network }) => network !== server.network);
    if (bridged === undefined || routed === undefined) continue;
    return {
      scenarios: Object.fromEntries(scenarios.map((bound, at) => [`rules${SIZES[at]}`, bound])),
      server: { node: server.holder, address: formatIpv4(server.ipv4), port },
      paths: { bridged: bridged.holder, routed: routed.holder },
    };
  }
  throw new Error("the plans allow no flow on both paths");
};

/** A process's own time on a processor, softirqs that it ran included (proc_pid_schedstat). */
const cpuMsOf = (pid) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000_000;

const directory = mkdtempSync(join(tmpdir(), "drydock-bench-forward-"));
buildLoad(directory);

const measure = async ({ scenarios, server, paths }) => {
  const ended = [];
  try {
    const [scenario] = Object.values(scenarios);
    const holders = [server.node, ...Object.values(paths)];
    const lab = await openBridgeLab(
      { after: (end) => ended.push(end) },
      {
        networks: scenario.networks,
        attachments: scenario.attachments.filter(({ holder }) => holders.includes(holder)),
      },
    );
    const at = (holder) =>
      loadWith([
        ...["nsenter", `--net=/proc/${lab.node(holder).pid}/ns/net`],
        join(directory, "tunnel-load"),
      ]);
    const target = { ...server, authority: "-" };
    const upstream = await at(server.node).upstream(target);
    ended.push(() => upstream.kill("SIGKILL"));
    for (const holder of Object.values(paths)) {
      lab.node(holder).set("net/ipv4/ip_local_port_range", "10000 65000");
      lab.node(holder).set("net/ipv4/tcp_tw_reuse", "1");
    }
    const tables = Object.fromEntries(
      Object.entries(scenarios).map(([name, bound]) => [name, tablesOf(bound)]),
    );
    const contenders = {
      ...BASELINES,
      ...Object.fromEntries(
        Object.entries(tables).map(([name, text]) => [name, `flush ruleset\n${text}`]),
      ),
    };
    /** How much there was of it, in how long, for how much processor time. */
    const measures = {
      mibPerSecond: async (client) => {
        const { bytes, ms, cpuMs } = await client.stream(target, STREAMS, BYTES / STREAMS);
        return { amount: bytes / 2 ** 20, ms, cpuMs };
      },
      connectionsPerSecond: async (client) => {
        const { tunnels, failed, ms, cpuMs } = await client.open(target, CONNECTIONS, AT_ONCE);
        if (failed > 0) throw new Error(`${failed} of ${tunnels} connections failed`);
        return { amount: tunnels, ms, cpuMs };
      },
    };
    const slice = async (rules, client, work) => {
      lab.router.nft(rules);
      const before = cpuMsOf(upstream.pid);
      const { amount, ms, cpuMs } = await work(client);
      return {
        rate: amount / (ms / 1_000),
        cpuUs: ((cpuMs + cpuMsOf(upstream.pid) - before) * 1_000) / amount,
      };
    };
    const results = {
      rules: Object.fromEntries(
        Object.entries(tables).map(([name, text]) => [name, countRules(text)]),
      ),
    };
    for (const [path, holder] of Object.entries(paths)) {
      const client = at(holder);
      results[path] = {};
      for (const [name, work] of Object.entries(measures)) {
        const measured = await interleaved(
          SLICES,
          Object.fromEntries(
            Object.entries(contenders).map(([contender, rules]) => [
              contender,
              () => slice(rules, client, work),
            ]),
          ),
        );
        results[path][name] = summary(measured);
      }
    }
    return results;
  } finally {
    for (const end of ended.reverse()) end();
  }
};

/** Ratios are a rate's to the rate without rules: of processor time, the inverse of its. */
const summary = (measured) => {
  const each = (of) =>
    Object.fromEntries(Object.entries(measured).map(([name, slices]) => [name, of(slices)]));
  const best = each((slices) => Math.max(...slices.map(({ rate }) => rate)));
  const middle = each((slices) => median(slices.map(({ rate }) => rate)));
  const cpuUs = each((slices) => median(slices.map((slice) => slice.cpuUs)));
  const ratios = (values, ratio) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, rounded(ratio(value, values.none))]),
    );
  const all = (values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rounded(value)]));
  return {
    best: all(best),
    median: all(middle),
    cpuUs: all(cpuUs),
    ratio: {
      best: ratios(best, (value, none) => value / none),
      median: ratios(middle, (value, none) => value / none),
      cpu: ratios(cpuUs, (value, none) => none / value),
    },
  };
};

try {
  const example = await measure(EXAMPLE);
  const plans = await measure(grown());
  console.log(
    JSON.stringify({
      bench: "boundary-forward",
      realisation: LAB_REALISATION,
      nodes: NODES,
      slices: SLICES,
      example,
      plans,
      target: TARGET,
    }),
  );
} finally {
  rmSync(directory, { recursive: true });
}
