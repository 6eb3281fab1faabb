// A Docker engine of our own for comparisons: private network namespace, own data root, exec root,
// pid file and socket, and an image made offline from busybox.
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const must = (command, args, options = {}) => {
  const result = spawnSync(command, args, { encoding: "utf8", ...options });
  if (result.status !== 0)
    throw new Error(
      `${command} ${args.join(" ")}: ${result.stderr || result.error || result.status}`,
    );
  return result.stdout;
};

/** Starts dockerd and imports `busybox:offline`. `stop()` removes everything again. */
export const startDocker = async () => {
  const directory = mkdtempSync(join(tmpdir(), "drydock-bench-docker-"));
  const namespace = `ddbench${process.pid}`;
  must("ip", ["netns", "add", namespace]);
  const socket = `unix://${join(directory, "docker.sock")}`;
  const log = openSync(join(directory, "dockerd.log"), "w");
  const daemon = spawn(
    "nsenter",
    [
      `--net=/run/netns/${namespace}`,
      "dockerd",
      "--host",
      socket,
      "--data-root",
      join(directory, "data"),
      "--exec-root",
      join(directory, "exec"),
      "--pidfile",
      join(directory, "docker.pid"),
      "--iptables=false",
      "--ip6tables=false",
      "--bridge=none",
    ],
    { stdio: ["ignore", log, log] },
  );
  const docker = (...args) => must("docker", ["--host", socket, ...args]);
  const stop = async () => {
    const gone = new Promise((done) => daemon.once("exit", done));
    if (daemon.exitCode === null) {
      daemon.kill("SIGTERM");
      await gone;
    }
    for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n").reverse()) {
      const target = line.split(" ")[4];
      if (target?.startsWith(directory)) spawnSync("umount", ["-l", target]);
    }
    rmSync(directory, { recursive: true, force: true });
    spawnSync("ip", ["netns", "delete", namespace]);
  };
  try {
    for (let tries = 0; !existsSync(join(directory, "docker.sock")); tries++) {
      if (tries > 300 || daemon.exitCode !== null)
        throw new Error(
          `dockerd did not start: ${readFileSync(join(directory, "dockerd.log"), "utf8").slice(-2000)}`,
        );
      await wait(100);
    }
    const tree = join(directory, "tree");
    mkdirSync(join(tree, "bin"), { recursive: true });
    copyFileSync("/bin/busybox", join(tree, "bin/busybox"));
    for (const name of ["sh", "true", "echo", "cat"])
      symlinkSync("busybox", join(tree, "bin", name));
    must("sh", ["-c", `tar -C ${tree} -c . | docker --host ${socket} import - busybox:offline`]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, docker, stop };
};
