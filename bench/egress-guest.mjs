#!/usr/bin/env node
// What passes through a guest's only way out: a program in the guest, its proxy, the channel, the
// broker, an upstream in a private network; down and up, beside a connection that stays inside the
// guest. One JSON object. Needs root, dnsmasq-base and a C compiler; build first with
// `node scripts/build.mjs`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHome, PROGRAM } from "./lib/home.mjs";
import { enterPrivate, openNetwork } from "./lib/private.mjs";
import { median, rounded } from "./lib/stats.mjs";
import { buildLoad, startNameServer } from "./lib/tunnels.mjs";

enterPrivate(import.meta.url, ["--net"]);

const MIB = 2 ** 20;
const BYTES = 16 * MIB;
const ROUNDS = Number(process.env.DRYDOCK_BENCH_STREAM_ROUNDS ?? 3);

const resolver = "127.0.0.53";
const upstream = { address: "93.184.216.34", port: 443 };
const host = "api.example.com";

/** For `node -e` in the guest. It prints milliseconds: down, up, and down inside the guest. */
const guestProgram = `
const net = require("node:net");
const target = ${JSON.stringify(`${host}:${upstream.port}`)}, bytes = ${BYTES};
const piece = Buffer.alloc(65536);
const order = Buffer.alloc(8);
order.writeBigInt64LE(BigInt(bytes));
const open = () => new Promise((resolve, reject) => {
  const socket = net.connect(3128, "127.0.0.1");
  socket.once("error", reject);
  socket.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n");
  socket.once("data", (head) => {
    socket.pause();
    if (head.toString("latin1").startsWith("HTTP/1.1 200 ")) resolve(socket);
    else reject(new Error(head.toString("latin1")));
  });
});
const down = (socket) => new Promise((resolve, reject) => {
  const began = performance.now();
  let left = bytes;
  socket.on("data", (chunk) => {
    left -= chunk.length;
    if (left > 0) return;
    resolve(performance.now() - began);
    socket.destroy();
  });
  socket.once("close", () => reject(new Error(left + " bytes are missing")));
  socket.resume();
  socket.write(order);
});
const send = async (socket) => {
  for (let sent = 0; sent < bytes; sent += piece.length)
    if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
  socket.end();
};
const up = async (socket) => {
  const began = performance.now();
  const ended = new Promise((resolve) => socket.once("end", resolve));
  socket.resume();
  await send(socket);
  await ended;
  return performance.now() - began;
};
const inside = () => new Promise((resolve) => {
  const server = net.createServer((socket) => socket.once("data", () => void send(socket)));
  server.listen(0, "127.0.0.1", async () => {
    resolve(await down(net.connect(server.address().port, "127.0.0.1")));
    server.close();
  });
});
(async () => {
  const result = { down: await down(await open()), up: await up(await open()), inside: await inside() };
  console.log("result " + JSON.stringify(result));
  process.exit(0);
})();
`;

const measure = async (home, policy) => {
  const child = spawn(
    process.execPath,
    [PROGRAM, "run", "--json", "--policy", policy, "--", "node", "-e", guestProgram],
    { env: home.env, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, "close");
  const [, result] = /^result (\{.*\})\r?$/m.exec(said) ?? [];
  if (code !== 0 || result === undefined) throw new Error(`exit ${code}: ${said}`);
  return JSON.parse(result);
};

const home = openHome();
const directory = mkdtempSync(join(tmpdir(), "drydock-bench-egress-"));
const servers = [];
let code = 1;
try {
  openNetwork([upstream.address]);
  const load = buildLoad(directory);
  servers.push(await startNameServer({ resolver, names: { [host]: upstream.address } }));
  servers.push(await load.upstream(upstream));
  const policy = join(directory, "policy.yaml");
  writeFileSync(
    policy,
    `schema: drydock.egress/v1
authorities:
  - name: ${host}
    port: ${upstream.port}
    protocol: tcp-opaque
    purpose: bench
resolvers:
  - address: ${resolver}
`,
  );
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(home, policy));
  const rate = (name) => BYTES / MIB / (median(rounds.map((round) => round[name])) / 1000);
  console.log(
    JSON.stringify({
      name: "egress-guest",
      rounds: ROUNDS,
      mibPerSecond: {
        down: rounded(rate("down")),
        up: rounded(rate("up")),
        insideGuest: rounded(rate("inside")),
      },
      ratios: {
        downToInsideGuest: rounded(rate("down") / rate("inside")),
        upToInsideGuest: rounded(rate("up") / rate("inside")),
      },
    }),
  );
  code = 0;
} catch (error) {
  console.error(error);
} finally {
  for (const server of servers) server.kill();
  home.close();
  rmSync(directory, { recursive: true, force: true });
  process.exit(code);
}
