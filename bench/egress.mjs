#!/usr/bin/env node
// `drydock egress serve` beside squid and tinyproxy: the same client, upstream and name server in
// one private network, in turns. New tunnels a second and what each costs in processor time, the
// time from CONNECT to 200, MiB/s, and the memory of idle tunnels. One JSON object. Needs root,
// Debian's squid, tinyproxy and dnsmasq-base, and a C compiler.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { enterPrivate, layFiles, openNetwork } from "./lib/private.mjs";
import { PROXIES } from "./lib/proxies.mjs";
import { median, rounded } from "./lib/stats.mjs";
import { buildLoad, need, startNameServer } from "./lib/tunnels.mjs";

enterPrivate(import.meta.url);

const MIB = 2 ** 20;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_EGRESS_ROUNDS ?? 5);
const NAMES = (process.env.DRYDOCK_BENCH_PROXIES ?? Object.keys(PROXIES).join(",")).split(",");
const AT_ONCE = 64;
const TUNNELS = Number(process.env.DRYDOCK_BENCH_TUNNELS ?? 4_000);
const LATENCIES = Number(process.env.DRYDOCK_BENCH_LATENCIES ?? 500);
const STREAM_BYTES = Number(process.env.DRYDOCK_BENCH_STREAM_MIB ?? 1_024) * MIB;
const IDLE = 1_000;
/** For what a proxy frees or finishes a moment after the last tunnel moved. */
const SETTLE_MS = 1_500;

const resolver = "127.0.0.53";
const upstream = { address: "93.184.216.34", port: 443 };
const authority = { host: "api.example.com", port: upstream.port };

const directory = mkdtempSync(join(tmpdir(), "drydock-bench-egress-"));
// Squid and tinyproxy run as users of their own.
chmodSync(directory, 0o711);
let nextPort = 3_200;

const startProxy = async (name) => {
  nextPort += 1;
  const proxy = await PROXIES[name]({ directory, port: nextPort, authority, resolver });
  const place = {
    address: "127.0.0.1",
    port: proxy.port,
    authority: `${authority.host}:${authority.port}`,
  };
  return { ...proxy, place };
};

const measureLoad = async (load, { place, cpuMs = () => 0 }) => {
  const before = cpuMs();
  const many = await load.open(place, TUNNELS, AT_ONCE);
  const openCpu = cpuMs() - before;
  const alone = await load.open(place, LATENCIES, 1);
  if (many.failed + alone.failed > 0)
    throw new Error(`${JSON.stringify(place)}: ${many.failed} + ${alone.failed} tunnels failed`);
  const streams = {};
  for (const [name, tunnels] of [
    ["one", 1],
    ["many", AT_ONCE],
  ]) {
    const cpuBefore = cpuMs();
    const { bytes, ms } = await load.stream(place, tunnels, STREAM_BYTES);
    const mib = bytes / MIB;
    streams[name] = { rate: (mib / ms) * 1000, cpu: (cpuMs() - cpuBefore) / mib };
  }
  return {
    tunnelsPerSecond: (many.tunnels / many.ms) * 1000,
    cpuMicrosecondsPerTunnel: (openCpu / many.tunnels) * 1000,
    p50Ms: alone.p50,
    p99Ms: alone.p99,
    mibPerSecondOneTunnel: streams.one.rate,
    mibPerSecond64Tunnels: streams.many.rate,
    cpuMillisecondsPerGibOneTunnel: streams.one.cpu * 1024,
    cpuMillisecondsPerGib64Tunnels: streams.many.cpu * 1024,
  };
};

/** In a process that has served a few tunnels and no more: a busy one has memory to spare. */
const measureMemory = async (load, name) => {
  const proxy = await startProxy(name);
  try {
    await load.open(proxy.place, 50, 8);
    await wait(SETTLE_MS);
    const before = proxy.memory();
    const held = await load.hold(proxy.place, IDLE);
    await wait(SETTLE_MS);
    const after = proxy.memory();
    await held.release();
    return { idleMibPer1000: ((after - before) / MIB) * (1000 / IDLE), totalMib: after / MIB };
  } finally {
    await proxy.stop();
  }
};

const mediansOf = (rounds) =>
  Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, rounded(median(rounds.map((round) => round[key])))]),
  );

/** Of each figure: ours to the best of the peers'. More is better for some. */
const ratiosOf = (results) => {
  const peers = NAMES.filter((name) => name.startsWith("squid") || name === "tinyproxy");
  const ours = NAMES.filter((name) => name.startsWith("drydock"));
  const more = (key) => key.includes("PerSecond");
  return Object.fromEntries(
    ours.map((name) => [
      name,
      Object.fromEntries(
        Object.keys(results[name]).map((key) => {
          const best = (more(key) ? Math.max : Math.min)(
            ...peers.map((peer) => results[peer][key]),
          );
          return [key, rounded(results[name][key] / best)];
        }),
      ),
    ]),
  );
};

let code = 1;
try {
  need("squid", "tinyproxy");
  openNetwork([upstream.address]);
  layFiles({ directory, resolver });
  const load = buildLoad(directory);
  await startNameServer({ resolver, names: { [authority.host]: upstream.address } });
  await load.upstream(upstream);
  const proxies = {};
  for (const name of NAMES) proxies[name] = await startProxy(name);
  const contenders = { direct: { place: { ...upstream, authority: "-" } }, ...proxies };
  const rounds = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  // The first round is for what is made, compiled or cached on first use.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, proxy] of Object.entries(contenders)) {
      const figures = await measureLoad(load, proxy);
      if (round > 0) rounds[name].push(figures);
    }
  for (const proxy of Object.values(proxies)) await proxy.stop();
  const memory = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of NAMES) memory[name].push(await measureMemory(load, name));
  const results = Object.fromEntries(
    Object.entries(rounds).map(([name, figures]) => [
      name,
      { ...mediansOf(figures), ...(name in memory ? mediansOf(memory[name]) : {}) },
    ]),
  );
  const peers = NAMES.some((name) => !name.startsWith("drydock"));
  console.log(
    JSON.stringify({
      name: "egress",
      rounds: ROUNDS,
      results,
      ...(peers ? { ratiosToBetterPeer: ratiosOf(results) } : {}),
      target: "rates at least 1, everything else at most 1",
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
