#!/usr/bin/env node
// `drydock faults serve` beside haproxy in TCP mode and a direct connection: the same client and
// upstream in one private network, in turns. The time of an exchange in an open connection, and
// MiB/s of one and of many; no toxic is active. One JSON object. Needs root, Debian's haproxy and a
// C compiler.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./lib/home.mjs";
import { enterPrivate, openNetwork } from "./lib/private.mjs";
import { start } from "./lib/proxies.mjs";
import { median, rounded } from "./lib/stats.mjs";
import { buildLoad, need } from "./lib/tunnels.mjs";

enterPrivate(import.meta.url);

const MIB = 2 ** 20;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_FAULTS_ROUNDS ?? 7);
const EXCHANGES = Number(process.env.DRYDOCK_BENCH_EXCHANGES ?? 3_000);
const STREAM_BYTES = Number(process.env.DRYDOCK_BENCH_STREAM_MIB ?? 1_024) * MIB;
const ANSWER_BYTES = 512;
const AT_ONCE = 64;

const upstream = { address: "127.0.0.1", port: 9_000 };
const directory = mkdtempSync(join(tmpdir(), "drydock-bench-faults-"));

const startDrydock = (port) => {
  const config = join(directory, "proxies.json");
  const place = `${upstream.address}:${upstream.port}`;
  const proxies = [{ name: "bench", listen: `127.0.0.1:${port}`, upstream: place }];
  writeFileSync(config, JSON.stringify(proxies));
  const program = process.env.DRYDOCK_BENCH_PROGRAM ?? join(root, "packages/cli/dist/main.js");
  const flags = ["--listen", "127.0.0.1:8474", "--config", config, "--seed", "1"];
  const argv = [process.execPath, program, "faults", "serve", ...flags];
  return start({ name: "drydock", argv, port, directory });
};

const startHaproxy = (port) => {
  const config = join(directory, "haproxy.cfg");
  writeFileSync(
    config,
    `global
  maxconn 4096
defaults
  mode tcp
  timeout connect 5s
  timeout client 10m
  timeout server 10m
listen bench
  bind 127.0.0.1:${port}
  server upstream ${upstream.address}:${upstream.port}
`,
  );
  return start({ name: "haproxy", argv: ["haproxy", "-db", "-f", config], port, directory });
};

const measure = async (load, { port, cpuMs = () => 0 }) => {
  const place = { address: "127.0.0.1", port, authority: "-" };
  await load.ask(place, 200, ANSWER_BYTES);
  const cpuBefore = cpuMs();
  const { p50, p99 } = await load.ask(place, EXCHANGES, ANSWER_BYTES);
  const cpu = cpuMs() - cpuBefore;
  const rates = {};
  for (const [name, connections] of [
    ["one", 1],
    ["many", AT_ONCE],
  ]) {
    const before = cpuMs();
    const { bytes, ms } = await load.stream(place, connections, STREAM_BYTES);
    rates[name] = {
      rate: (bytes / MIB / ms) * 1000,
      cpu: ((cpuMs() - before) * 1024 * MIB) / bytes,
    };
  }
  return {
    p50Ms: p50,
    p99Ms: p99,
    cpuMicrosecondsPerExchange: (cpu / EXCHANGES) * 1000,
    mibPerSecondOne: rates.one.rate,
    mibPerSecond64: rates.many.rate,
    cpuMillisecondsPerGibOne: rates.one.cpu,
    cpuMillisecondsPerGib64: rates.many.cpu,
  };
};

/** Of what was measured in the same round. */
const medianOf = (rounds, figure) => rounded(median(rounds.map(figure)));

let code = 1;
try {
  need("haproxy");
  openNetwork([]);
  const load = buildLoad(directory);
  await load.upstream(upstream);
  const proxies = { drydock: await startDrydock(9_001), haproxy: await startHaproxy(9_002) };
  const contenders = { direct: upstream, ...proxies };
  const rounds = [];
  // The first round is for what is made, compiled or cached on first use.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = {};
    for (const [name, proxy] of Object.entries(contenders))
      figures[name] = await measure(load, proxy);
    if (round > 0) rounds.push(figures);
  }
  for (const proxy of Object.values(proxies)) await proxy.stop();
  const results = Object.fromEntries(
    Object.keys(contenders).map((name) => [
      name,
      Object.fromEntries(
        Object.keys(rounds[0][name]).map((key) => [
          key,
          medianOf(rounds, (figures) => figures[name][key]),
        ]),
      ),
    ]),
  );
  const added = (name, key) =>
    medianOf(rounds, (figures) => figures[name][key] - figures.direct[key]);
  const ratio = (to, key) => medianOf(rounds, (figures) => figures.drydock[key] / figures[to][key]);
  const addedOf = (name) => ({ p50Ms: added(name, "p50Ms"), p99Ms: added(name, "p99Ms") });
  const ratiosTo = (to) => ({
    mibPerSecondOne: ratio(to, "mibPerSecondOne"),
    mibPerSecond64: ratio(to, "mibPerSecond64"),
  });
  console.log(
    JSON.stringify({
      name: "faults",
      rounds: ROUNDS,
      results,
      added: { drydock: addedOf("drydock"), haproxy: addedOf("haproxy") },
      ratios: { haproxy: ratiosTo("haproxy"), direct: ratiosTo("direct") },
      target: "MiB a second at least 0.5 of haproxy's, less than 0.2 ms added at the median",
    }),
  );
  code = 0;
} catch (error) {
  console.error(error);
} finally {
  rmSync(directory, { recursive: true, force: true });
  // The first process of its namespace: what it started ends with it.
  process.exit(code);
}
