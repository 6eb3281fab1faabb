import { writeSync } from "node:fs";
import { release, uptime } from "node:os";
import type { Duplex } from "node:stream";
import { AgentError } from "../agent/errors.js";
import type { Exec, Facts, Hello, Platform, Running } from "../agent/platform.js";
import { rehearse } from "../agent/rehearse.js";
import { type Helper, Lines, startHelper } from "./helpers.js";
import { nativeMessage, setupMessage } from "./message.js";
import { type Prepared, prepareSpawn, runPrepared } from "./spawn.js";

const NATIVE = "/bin/drydock-native";
const COMMANDS_CGROUP = "/sys/fs/cgroup/cmd";
const MERGED_ROOT = "/run/merged";
const CONSOLE = 1;

/** Relays and commands that are started before the snapshot, when time costs nothing. */
const PREPARED_RELAYS = 2;
const PREPARED_COMMANDS = 2;

/** Often enough that every function has been compiled and its call sites have settled. */
const REHEARSALS = 12;

/** The machine as init has left it. Helpers are already running when this resolves. */
export const linuxPlatform = async (): Promise<Platform> => {
  await rehearse(
    REHEARSALS,
    "/run/rehearsal",
    (openPort) =>
      new LinuxPlatform({
        openPort,
        setup: startHelper(NATIVE, "guest-setup"),
        rehearsal: true,
        commands: [],
      }),
  );
  const relays = Array.from({ length: PREPARED_RELAYS }, () => startHelper(NATIVE, "guest-relay"));
  const commands = await Promise.all(
    Array.from({ length: PREPARED_COMMANDS }, () => prepareSpawn(NATIVE)),
  );
  // So that none is due while the first command waits.
  globalThis.gc?.();
  return new LinuxPlatform({
    openPort(name) {
      const relay = relays.shift() ?? startHelper(NATIVE, "guest-relay");
      relay.input.write(nativeMessage([name]));
      return relay.channel;
    },
    setup: startHelper(NATIVE, "guest-setup"),
    commands,
    rehearsal: false,
  });
};

interface Parts {
  readonly openPort: (name: string) => Duplex;
  readonly setup: Helper;
  readonly commands: Prepared[];
  /** Nothing is changed, and commands run where the agent runs. */
  readonly rehearsal: boolean;
}

class LinuxPlatform implements Platform {
  readonly root = MERGED_ROOT;
  readonly openPort: (name: string) => Duplex;
  readonly #parts: Parts;
  #descriptors = 0;
  #started = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.openPort = parts.openPort;
  }

  async setUp(hello: Hello): Promise<Facts> {
    const { setup, rehearsal } = this.#parts;
    const lines = new Lines(setup.channel);
    setup.input.write(setupMessage(hello, rehearsal));
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
      cgroup: `${COMMANDS_CGROUP}/${rehearsal ? "rehearsal" : this.#started}`,
      namespace: rehearsal ? "" : `/proc/${setup.pid}/ns/mnt`,
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
