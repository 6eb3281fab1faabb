import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { temporaryDirectory } from "@drydock/testkit";
import { createDockerBackend, type DeploymentBackend } from "../engine/index.js";

const run = promisify(execFile);

export interface EngineLab {
  /** Of the private network namespace that everything runs in. */
  readonly namespace: string;
  readonly socket: string;
  readonly backend: DeploymentBackend;
  /** Id of a busybox image, tagged `lab:1`. */
  readonly image: string;
  /** Runs a program in the namespace; its stdout. */
  readonly run: (argv: readonly string[]) => Promise<string>;
  /** The engine's own command line. */
  readonly docker: (...args: string[]) => Promise<string>;
  /** One more containerd in the namespace, which no engine was told of. */
  readonly startContainerd: () => Containerd;
  /** Kills the engine and starts it again: containers are gone, what it keeps on disk isn't. */
  readonly restart: () => Promise<void>;
  /** Kills it at once, and nothing else: its containers run on without it. */
  readonly kill: () => Promise<void>;
}

const START_SECONDS = 60;

/**
 * A real engine in a network namespace of its own, without the rules that it would write itself.
 * Everything is gone when the test ends.
 */
export const startEngineLab = async (
  test: { after(fn: () => Promise<void> | void): void },
  { containerd = "below" }: { readonly containerd?: "below" | "beside" } = {},
): Promise<EngineLab> => {
  count += 1;
  const name = `dd-test-${process.pid}-${count}`;
  const opened: (() => Promise<void>)[] = [];
  // Before the directory's own, since hooks run in the order in which they were made.
  test.after(async () => {
    const failed: unknown[] = [];
    // One that fails leaves no namespace behind for the others.
    for (const close of opened.reverse())
      await close().catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw new AggregateError(failed, "the engine's lab isn't gone");
  });
  const directory = temporaryDirectory(test);
  const namespace = `/run/netns/${name}`;
  const socket = join(directory, "engine.sock");
  await run("ip", ["netns", "add", name]);
  const inside = async (argv: readonly string[]): Promise<string> => {
    const options = { encoding: "utf8", maxBuffer: 64 << 20, timeout: 60_000 } as const;
    return (await run("nsenter", [`--net=${namespace}`, "--", ...argv], options)).stdout;
  };
  opened.push(async () => void (await run("ip", ["netns", "delete", name])));
  let engine: Engine | null = null;
  const stop = async (): Promise<void> => {
    const running = engine;
    engine = null;
    await running?.stop();
  };
  opened.push(stop);
  await inside(["ip", "link", "set", "lo", "up"]);
  await inside(["sysctl", "-q", "-w", "net.ipv4.ip_forward=1"]);
  const options: string[] = [];
  if (containerd === "beside") {
    const beside = startContainerd(directory, namespace);
    // It ends after the engine.
    opened.splice(1, 0, beside.stop);
    options.push("--containerd", beside.socket);
    await beside.ready();
  }
  const start = async (): Promise<void> => {
    engine = await startEngine({ directory, namespace, socket, options });
  };
  await start();
  const docker = async (...args: string[]): Promise<string> =>
    (await run("docker", ["-H", `unix://${socket}`, ...args], { timeout: 60_000 })).stdout.trim();
  const image = importBusybox(directory, socket);
  return {
    namespace,
    socket,
    backend: await createDockerBackend(socket),
    image,
    run: inside,
    docker,
    startContainerd: () => {
      const beside = startContainerd(directory, namespace);
      opened.push(beside.stop);
      return beside;
    },
    restart: async () => {
      await stop();
      await start();
    },
    kill: async () => {
      await engine?.kill();
      engine = {
        kill: async () => undefined,
        // Only an engine can end what it left behind.
        stop: async () => {
          // It waits fifteen seconds for its containerd, which a busy machine takes longer to start.
          await start().catch(start).catch(start);
          await stop();
          // Its own mount of its data, which only the one that was killed knew of.
          for (const path of mountsBelow(directory)) spawnSync("umount", [path]);
        },
      };
    },
  };
};

let count = 0;

/** The last one first: proc_pid_mountinfo(5) has the place in its fifth field. */
const mountsBelow = (directory: string): readonly string[] =>
  readFileSync("/proc/self/mountinfo", "latin1")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((place) => place.startsWith(`${directory}/`))
    .reverse();

interface Engine {
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

const startEngine = async ({
  directory,
  namespace,
  socket,
  options,
}: Readonly<Record<"directory" | "namespace" | "socket", string>> & {
  readonly options: readonly string[];
}): Promise<Engine> => {
  const log = openSync(join(directory, "engine.log"), "a");
  const engine = spawn(
    "nsenter",
    [
      ...[`--net=${namespace}`, "--", "setpriv", "--pdeathsig", "TERM", "dockerd"],
      ...["--data-root", join(directory, "data"), "--exec-root", join(directory, "exec")],
      ...["--pidfile", join(directory, "engine.pid"), "--host", `unix://${socket}`],
      ...["--bridge", "none", "--iptables=false", "--ip6tables=false"],
      ...options,
    ],
    // An engine that gives its containerd up has it write down what it did, to the temporary directory.
    { stdio: ["ignore", log, log], env: { ...process.env, TMPDIR: directory } },
  );
  const gone = once(engine, "exit");
  for (let tries = 0; ; tries += 1) {
    const probe = spawnSync("docker", ["-H", `unix://${socket}`, "version"], { timeout: 10_000 });
    if (probe.status === 0) break;
    if (engine.exitCode !== null || tries > START_SECONDS * 10) {
      throw new Error(readFileSync(join(directory, "engine.log"), "utf8").slice(-2_000));
    }
    await pause(100);
  }
  const kill = async () => {
    engine.kill("SIGKILL");
    await gone;
  };
  const stop = async () => {
    const list = spawnSync("docker", ["-H", `unix://${socket}`, "ps", "-q"], { encoding: "utf8" });
    const running = list.stdout.split("\n").filter((id) => id !== "");
    if (running.length > 0) {
      spawnSync("docker", ["-H", `unix://${socket}`, "kill", ...running]);
    }
    engine.kill("SIGTERM");
    await gone;
  };
  return { stop, kill };
};

interface Containerd {
  readonly pid: number;
  readonly socket: string;
  readonly ready: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** As systemd starts it: by itself, and without its service for Kubernetes, which would listen. */
const startContainerd = (directory: string, namespace: string): Containerd => {
  const socket = join(directory, "containerd.sock");
  const configuration = join(directory, "containerd.toml");
  writeFileSync(configuration, 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n');
  const log = openSync(join(directory, "containerd.log"), "a");
  const running = spawn(
    "nsenter",
    [
      ...[`--net=${namespace}`, "--", "setpriv", "--pdeathsig", "TERM", "containerd"],
      ...["--config", configuration, "--address", socket],
      ...["--root", join(directory, "containerd"), "--state", join(directory, "containerd-state")],
    ],
    { stdio: ["ignore", log, log] },
  );
  const gone = once(running, "exit");
  const stop = async (): Promise<void> => {
    running.kill("SIGTERM");
    await gone;
  };
  const ready = async (): Promise<void> => {
    for (let tries = 0; !existsSync(socket); tries += 1) {
      if (running.exitCode !== null || tries > START_SECONDS * 10) {
        throw new Error(readFileSync(join(directory, "containerd.log"), "utf8").slice(-2_000));
      }
      await pause(100);
    }
  };
  return { pid: running.pid ?? 0, socket, ready, stop };
};

const APPLETS = [
  ...["sh", "ip", "nc", "ping", "sleep", "timeout", "wget", "arping", "cat", "ifconfig", "route"],
];

/** Made of this machine's busybox, so that nothing is fetched. */
const importBusybox = (directory: string, socket: string): string => {
  const root = join(directory, "busybox");
  mkdirSync(join(root, "bin"), { recursive: true });
  cpSync("/bin/busybox", join(root, "bin/busybox"));
  for (const applet of APPLETS) symlinkSync("busybox", join(root, "bin", applet));
  const archive = spawnSync("tar", ["-C", root, "-c", "."], { maxBuffer: 64 << 20 });
  const imported = spawnSync("docker", ["-H", `unix://${socket}`, "import", "-", "lab:1"], {
    input: archive.stdout,
    encoding: "utf8",
  });
  if (imported.status !== 0) throw new Error(imported.stderr);
  return imported.stdout.trim();
};
