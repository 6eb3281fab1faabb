import { writeSync } from "node:fs";
import { release, uptime } from "node:os";
import type { BytePipe } from "@drydock/wire";
import { AgentError } from "../agent/errors.js";
import type { Exec, Facts, Hello, Platform, Running } from "../agent/platform.js";
import { rehearse } from "../agent/rehearse.js";
import { type Helper, Lines, startHelper } from "./helpers.js";
import { setupMessage } from "./message.js";
import { prepareRelay } from "./relay.js";
import { type Prepared, prepareSpawn, runPrepared } from "./spawn.js";

const NATIVE = "/bin/drydock-native";
const COMMANDS_CGROUP = "/sys/fs/cgroup/cmd";
const MERGED_ROOT = "/run/merged";
const CONSOLE = 1;
const REHEARSAL_SOCKET = "/run/rehearsal";

/** Relays and commands that are started before the snapshot, when time costs nothing. */
const PREPARED_RELAYS = 2;
const PREPARED_COMMANDS = 2;

/** Often enough that every function has been compiled and its call sites have settled. */
const REHEARSALS = 8;

/** After the collector has thrown compiled patterns away. */
const LAST_REHEARSALS = 3;

/** The machine as init has left it. Helpers are already running when this resolves. */
export const linuxPlatform = async (): Promise<Platform> => {
  await rehearse(REHEARSALS, REHEARSAL_SOCKET, rehearsalStage);
  const relays = await Promise.all(
    Array.from({ length: PREPARED_RELAYS }, () => prepareRelay(NATIVE)),
  );
  const setup = await prepareSetup();
  const commands = await Promise.all([
    // Only the first: a process that waits counts against the commands' bound.
    prepareSpawn(NATIVE, commandGroup(1)),
    ...Array.from({ length: PREPARED_COMMANDS - 1 }, () => prepareSpawn(NATIVE)),
  ]);
  // So that no collection is due while the first command waits.
  globalThis.gc?.();
  await rehearse(LAST_REHEARSALS, REHEARSAL_SOCKET, rehearsalStage);
  const openPort = async (name: string): Promise<BytePipe> =>
    (relays.shift() ?? (await prepareRelay(NATIVE))).connect(name);
  return new LinuxPlatform({ openPort, setup, commands, rehearsal: false });
};

const rehearsalStage = async (socketOf: (port: string) => string): Promise<Platform> =>
  new LinuxPlatform({
    openPort: async (port) => (await prepareRelay(NATIVE)).connect(socketOf(port)),
    setup: await prepareSetup("rehearsal"),
    commands: [],
    rehearsal: true,
  });

const prepareSetup = async (...rest: string[]): Promise<PreparedSetup> => {
  const helper = startHelper(NATIVE, "guest-setup", ...rest);
  const lines = new Lines(helper.channel);
  const state = await lines.next();
  if (state === "ready") return { helper, lines };
  throw new AgentError("setup-failed", state ?? "the helper ended");
};

/** Commands are numbered from 1. */
const commandGroup = (name: number | "rehearsal"): string => `${COMMANDS_CGROUP}/${name}`;

interface PreparedSetup {
  readonly helper: Helper;
  readonly lines: Lines;
}

interface Parts {
  readonly openPort: (name: string) => Promise<BytePipe>;
  readonly setup: PreparedSetup;
  readonly commands: Prepared[];
  /** Nothing is changed, and commands run where the agent runs. */
  readonly rehearsal: boolean;
}

class LinuxPlatform implements Platform {
  readonly root = MERGED_ROOT;
  readonly openPort: (name: string) => Promise<BytePipe>;
  readonly #parts: Parts;
  #descriptors = 0;
  #started = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.openPort = parts.openPort;
  }

  async setUp(hello: Hello): Promise<Facts> {
    const { helper, lines } = this.#parts.setup;
    helper.input.write(setupMessage(hello));
    const answer = (await lines.next()) ?? "error helper: ended";
    const pidsMax = /^ok (\d+)$/.exec(answer)?.[1];
    if (pidsMax === undefined) throw new AgentError("setup-failed", answer.slice(0, 256));
    this.#descriptors = hello.limits.fds;
    return {
      kernel: release(),
      node: process.version,
      timeNs: String(this.nowNs()),
      uptimeMs: Math.floor(uptime() * 1000),
      pidsMax: Number(pidsMax),
      fdsMax: this.#descriptors,
    };
  }

  async spawn(exec: Exec): Promise<Running> {
    const { commands, rehearsal, setup } = this.#parts;
    const prepared = commands.shift() ?? (await prepareSpawn(NATIVE));
    this.#started += 1;
    return runPrepared(prepared, exec, {
      cgroup: commandGroup(rehearsal ? "rehearsal" : this.#started),
      namespace: rehearsal ? "" : `/proc/${setup.helper.pid}/ns/mnt`,
      root: "",
      descriptors: this.#descriptors,
    });
  }

  nowNs(): bigint {
    return BigInt(Date.now()) * 1_000_000n;
  }

  announce(line: string): void {
    if (!this.#parts.rehearsal) writeSync(CONSOLE, `${line}\n`);
  }
}
