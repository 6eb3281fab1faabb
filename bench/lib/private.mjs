// Namespaces of the bench's own: a network that owns a public address and, where that is wanted,
// files in /etc that only its processes see, and process numbers, so that everything it started
// ends with it.
import { spawnSync } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const INSIDE = "DRYDOCK_BENCH_INSIDE";

const must = (command, args) => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr || error || status}`);
};

const WHOLE = ["--net", "--mount", "--ipc", "--pid", "--mount-proc"];

/**
 * To be called first by a bench. Outside it runs the bench again inside and ends with its status;
 * inside it returns. Needs root.
 */
export const enterPrivate = (bench, namespaces = WHOLE) => {
  if (process.env[INSIDE] !== undefined) return;
  const { status, error } = spawnSync(
    "setpriv",
    [
      ...["--pdeathsig", "KILL", "unshare", ...namespaces, "--fork", "--kill-child=KILL"],
      ...[process.execPath, fileURLToPath(bench)],
      ...process.argv.slice(2),
    ],
    { stdio: "inherit", env: { ...process.env, [INSIDE]: "1" } },
  );
  if (error !== undefined) throw error;
  process.exit(status ?? 1);
};

export const openNetwork = (addresses) => {
  must("ip", ["link", "set", "lo", "up"]);
  for (const address of addresses) must("ip", ["address", "add", `${address}/32`, "dev", "lo"]);
  // Thousands of short connections a second between a few addresses use the ports up.
  writeFileSync("/proc/sys/net/ipv4/ip_local_port_range", "10000 65000");
  writeFileSync("/proc/sys/net/ipv4/tcp_tw_reuse", "1");
};

/** @param directory for the file that is laid over the machine's */
export const layFiles = ({ directory, resolver }) => {
  // Squid's workers talk through both.
  for (const path of ["/dev/shm", "/run"])
    must("mount", ["-t", "tmpfs", "-o", "mode=1777", "t", path]);
  const resolvConf = join(directory, "resolv.conf");
  writeFileSync(resolvConf, `nameserver ${resolver}\n`, { mode: 0o644 });
  must("mount", ["--bind", resolvConf, realpathSync("/etc/resolv.conf")]);
};
