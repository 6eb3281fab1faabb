// The proxies that are compared, each allowing one authority and nothing else, each with a log file,
// the same name server and the same limit of open files.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "./home.mjs";

const OPEN_FILES = 20_000;
const START_MS = 20_000;
const IDLE_SECONDS = 600;

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

const parentOf = (pid) => {
  // The command's name is in parentheses and may hold anything.
  const [, , parent] = /^.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  return Number(parent);
};

/** A process and all that descend from it. */
const treeOf = (pid) => {
  const children = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = parentOf(name);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended between the listing and the look.
    }
  }
  const tree = [pid];
  for (const one of tree) tree.push(...(children.get(one) ?? []));
  return tree;
};

const pssOf = (pid) => {
  const [, kib] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kib) * 1024;
};

const TICK_MS = 10;
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

const sum = (values) => values.reduce((total, value) => total + value, 0);

export const start = async ({ name, argv, port, directory }) => {
  const child = spawn("prlimit", [`--nofile=${OPEN_FILES}:${OPEN_FILES}`, ...argv], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, DRYDOCK_HOME: join(directory, "home") },
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for (let ms = 0; !(await listens(port)); ms += 50) {
    if (ms > START_MS || child.exitCode !== null) throw new Error(`${name} didn't start: ${said}`);
    await wait(50);
  }
  return {
    name,
    port,
    /** Proportional set size of all its processes, in bytes. */
    memory: () => sum(treeOf(child.pid).map(pssOf)),
    /** Time on a processor of all its processes, in milliseconds. */
    cpuMs: () => sum(treeOf(child.pid).map(cpuOf)),
    stop: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => {
        for (const pid of treeOf(child.pid)) process.kill(pid, "SIGKILL");
      }, 5_000);
      await ended;
      clearTimeout(late);
    },
  };
};

/** Where squid's and tinyproxy's own users may write. */
const openDirectory = (directory) => {
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o777);
  return directory;
};

const squid =
  (workers) =>
  async ({ directory, port, authority, resolver }) => {
    const own = openDirectory(join(directory, `squid-${port}`));
    openDirectory("/run/squid");
    const config = join(own, "squid.conf");
    writeFileSync(
      config,
      `http_port 127.0.0.1:${port}
workers ${workers}
acl allowed_name dstdomain ${authority.host}
acl allowed_port port ${authority.port}
acl CONNECT method CONNECT
http_access allow CONNECT allowed_name allowed_port
http_access deny all
cache deny all
cache_mem 0
dns_nameservers ${resolver}
access_log stdio:${own}/access.log squid
buffered_logs on
cache_log ${own}/cache.log
cache_store_log none
pid_filename ${own}/squid.pid
coredump_dir ${own}
pinger_enable off
max_filedescriptors ${OPEN_FILES}
client_lifetime 1 day
read_timeout ${IDLE_SECONDS} seconds
shutdown_lifetime 0 seconds
`,
    );
    const argv = ["squid", "--foreground", "-f", config];
    if (workers === 1) argv.splice(1, 1, "-N");
    return start({ name: `squid-${workers}`, argv, port, directory });
  };

const tinyproxy = async ({ directory, port, authority }) => {
  const own = openDirectory(join(directory, `tinyproxy-${port}`));
  const config = join(own, "tinyproxy.conf");
  const filter = join(own, "filter");
  writeFileSync(filter, `^${authority.host.replaceAll(".", "\\.")}$\n`);
  writeFileSync(
    config,
    `User tinyproxy
Group tinyproxy
Listen 127.0.0.1
Port ${port}
Allow 127.0.0.1
Timeout ${IDLE_SECONDS}
MaxClients 8192
LogFile "${own}/tinyproxy.log"
LogLevel Connect
PidFile "${own}/tinyproxy.pid"
Filter "${filter}"
FilterDefaultDeny Yes
ConnectPort ${authority.port}
`,
  );
  return start({ name: "tinyproxy", argv: ["tinyproxy", "-d", "-c", config], port, directory });
};

const drydock =
  (...flags) =>
  async ({ directory, port, authority, resolver }) => {
    const policy = join(directory, `drydock-${port}.yaml`);
    writeFileSync(
      policy,
      `schema: drydock.egress/v1
authorities:
  - name: ${authority.host}
    port: ${authority.port}
    protocol: tcp-opaque
    purpose: bench
resolvers:
  - address: ${resolver}
limits:
  maxConnections: 8192
  idleTimeoutMs: ${IDLE_SECONDS * 1000}
  maxBytesDown: ${2 ** 40}
`,
    );
    const log = join(directory, `drydock-${port}-log`);
    const program = process.env.DRYDOCK_BENCH_PROGRAM ?? join(root, "packages/cli/dist/main.js");
    const options = (process.env.DRYDOCK_BENCH_NODE ?? "").split(" ").filter((o) => o !== "");
    const argv = [
      ...[process.execPath, ...options, program, "egress", "serve"],
      ...["--listen", `127.0.0.1:${port}`, "--policy", policy, "--log", log, ...flags],
    ];
    return start({ name: "drydock", argv, port, directory });
  };

/** By name: what starts one. Each start takes a port of its own. */
export const PROXIES = {
  drydock: drydock(),
  drydockTwoWorkers: drydock("--workers", "2"),
  squid: squid(1),
  squidTwoWorkers: squid(2),
  tinyproxy,
};
