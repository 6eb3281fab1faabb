import { readFileSync, writeSync } from "node:fs";
import { release, uptime } from "node:os";
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

/** Often enough that the engine has settled, few enough that it optimises nothing. */
const REHEARSALS = 3;
const AGENTS_OWN_PLACE = { cgroup: "", namespace: "", root: "", descriptors: 64 };

/** The machine as init has left it. Helpers are already running when this resolves. */
export const linuxPlatform = async (): Promise<Platform> => {
  const relays = Array.from({ length: PREPARED_RELAYS }, () => startHelper(NATIVE, "guest-relay"));
  const setup = startHelper(NATIVE, "guest-setup");
  await rehearse(REHEARSALS, "/run/rehearsal", async (exec) =>
    runPrepared(await prepareSpawn(NATIVE), exec, AGENTS_OWN_PLACE),
  );
  const commands = await Promise.all(
    Array.from({ length: PREPARED_COMMANDS }, () => prepareSpawn(NATIVE)),
  );
  return new LinuxPlatform(relays, setup, commands);
};

class LinuxPlatform implements Platform {
  readonly root = MERGED_ROOT;
  readonly #relays: Helper[];
  readonly #setup: Helper;
  readonly #commands: Prepared[];
  #descriptors = 0;
  #started = 0;

  constructor(relays: Helper[], setup: Helper, commands: Prepared[]) {
    this.#relays = relays;
    this.#setup = setup;
    this.#commands = commands;
  }

  openPort(name: string) {
    const relay = this.#relays.shift() ?? startHelper(NATIVE, "guest-relay");
    relay.input.write(nativeMessage([name]));
    return relay.channel;
  }

  async setUp(hello: Hello): Promise<Facts> {
    const lines = new Lines(this.#setup.channel);
    this.#setup.input.write(setupMessage(hello));
    const answer = (await lines.next()) ?? "error helper: ended";
    if (answer !== "ok") throw new AgentError("setup-failed", answer.slice(0, 256));
    this.#descriptors = hello.limits.fds;
    return {
      kernel: release(),
      node: process.version,
      timeNs: String(this.nowNs()),
      uptimeMs: Math.floor(uptime() * 1000),
      pidsMax: Number(readFileSync(`${COMMANDS_CGROUP}/pids.max`, "utf8")),
      fdsMax: this.#descriptors,
    };
  }

  async spawn(exec: Exec): Promise<Running> {
    const prepared = this.#commands.shift() ?? (await prepareSpawn(NATIVE));
    this.#started += 1;
    return runPrepared(prepared, exec, {
      cgroup: `${COMMANDS_CGROUP}/${this.#started}`,
      namespace: `/proc/${this.#setup.pid}/ns/mnt`,
      root: "",
      descriptors: this.#descriptors,
    });
  }

  nowNs(): bigint {
    return BigInt(Date.now()) * 1_000_000n;
  }

  announce(line: string): void {
    writeSync(CONSOLE, `${line}\n`);
  }
}
