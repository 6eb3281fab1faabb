#!/usr/bin/env node
// What rules cost that packets pass: MiB a second and new connections a second between containers,
// on one bridge and routed, with both authorities' tables loaded beside none, round by round, and
// beside one rule that asks for a connection's state, which is what tracking alone costs. Nodes are
// network namespaces behind bridges, as an engine makes them. In namespaces of its own; needs
// root. DRYDOCK_LAB_REALISATION=native on a kernel that has it. One JSON object.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePlatform, compileScenario, printTables } from "../packages/boundary/dist/index.js";
import { openBridgeLab } from "../packages/boundary/dist/testing/bridge-lab.js";
import { boundPlatform, boundScenario } from "../packages/boundary/dist/testing/index.js";
import { LAB_REALISATION } from "../packages/boundary/dist/testing/lab-kernel.js";
import { enterPrivate } from "./lib/private.mjs";
import { interleaved, median, ROUNDS, rounded } from "./lib/stats.mjs";
import { buildLoad, loadWith } from "./lib/tunnels.mjs";

enterPrivate(import.meta.url);

const TARGET = 0.9;
const PORT = 5432;
const STREAMS = 4;
/** Small, and many turns of each: a slice that nothing else disturbed is among them. */
const BYTES = 64 * 2 ** 20;
const CONNECTIONS = 500;
const SLICES = 4 * ROUNDS;
const AT_ONCE = 64;

/** Both are flows that the fixture's plan allows: one within a bridge, one through the router. */
const PATHS = { bridged: "provision.node.workstation", routed: "provision.node.web" };
const SERVER = {
  node: "provision.node.database",
  address: "10.60.1.10",
  port: PORT,
  authority: "-",
};

const ended = [];
const directory = mkdtempSync(join(tmpdir(), "drydock-bench-forward-"));
try {
  const lab = await openBridgeLab(
    { after: (end) => ended.push(end) },
    {
      networks: [...boundScenario.networks, ...Object.values(boundPlatform.networks)],
      attachments: [...boundScenario.attachments, ...boundPlatform.attachments],
    },
  );
  buildLoad(directory);
  const at = (holder) =>
    loadWith([
      ...["nsenter", `--net=/proc/${lab.node(holder).pid}/ns/net`],
      join(directory, "tunnel-load"),
    ]);
  const upstream = await at(SERVER.node).upstream(SERVER);
  ended.push(() => upstream.kill("SIGKILL"));
  for (const holder of Object.values(PATHS)) {
    lab.node(holder).set("net/ipv4/ip_local_port_range", "10000 65000");
    lab.node(holder).set("net/ipv4/tcp_tw_reuse", "1");
  }

  const options = { owner: "bench", realisation: LAB_REALISATION };
  const tables = [
    compilePlatform(boundPlatform, options),
    compileScenario(boundScenario, options),
  ].map((ruleset) => printTables(ruleset));
  /** Each begins without rules and without what was tracked under others. */
  const contenders = {
    none: "flush ruleset\n",
    tracking:
      "flush ruleset\ntable inet t { chain f { type filter hook forward priority 0; ct state established accept; }; }\n",
    loaded: `flush ruleset\n${tables.join("")}`,
  };

  const measures = {
    mibPerSecond: async (client) => {
      const { bytes, ms } = await client.stream(SERVER, STREAMS, BYTES / STREAMS);
      return bytes / 2 ** 20 / (ms / 1_000);
    },
    connectionsPerSecond: async (client) => {
      const { tunnels, failed, ms } = await client.open(SERVER, CONNECTIONS, AT_ONCE);
      if (failed > 0) throw new Error(`${failed} of ${tunnels} connections failed`);
      return tunnels / (ms / 1_000);
    },
  };
  const results = {};
  for (const [path, holder] of Object.entries(PATHS)) {
    const client = at(holder);
    for (const [measure, work] of Object.entries(measures)) {
      const measured = await interleaved(
        SLICES,
        Object.fromEntries(
          Object.entries(contenders).map(([name, rules]) => [
            name,
            async () => {
              lab.router.nft(rules);
              return await work(client);
            },
          ]),
        ),
      );
      const each = (of) =>
        Object.fromEntries(
          Object.entries(measured).map(([name, values]) => [name, rounded(of(values))]),
        );
      const [middle, best] = [each(median), each((values) => Math.max(...values))];
      results[path] = {
        ...results[path],
        [measure]: {
          median: { ...middle, ratio: rounded(middle.loaded / middle.none) },
          best: { ...best, ratio: rounded(best.loaded / best.none) },
        },
      };
    }
  }
  console.log(
    JSON.stringify({
      bench: "boundary-forward",
      realisation: LAB_REALISATION,
      rules: tables
        .join("")
        .split("\n")
        .filter((line) => line.includes("comment")).length,
      slices: SLICES,
      ...results,
      target: TARGET,
    }),
  );
} finally {
  for (const end of ended.reverse()) end();
  rmSync(directory, { recursive: true });
}
