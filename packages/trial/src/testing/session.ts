import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signingKeyFromSeed } from "@drydock/evidence";
import { temporaryDirectory } from "@drydock/testkit";
import { attachBulk, type BulkChannel } from "@drydock/wire";
import type { PORT } from "../contract/index.js";
import type { Handlers } from "../link/index.js";
import { Session } from "../port/session.js";
import { type GuestScript, honest } from "./fake-guest.js";
import { type FakeMachine, fakeMachine } from "./fake-machine.js";
import { pipePair, type Tamper } from "./pipe.js";

export interface SessionOptions {
  readonly script?: GuestScript;
  readonly tamper?: Tamper;
  readonly outputBytes?: number;
  readonly consoleBytes?: number;
  readonly artifacts?: readonly string[];
  readonly canaries?: Begin["canaries"];
}

type Begin = ReturnType<(typeof PORT)["begin"]["params"]>;

export interface TestSession {
  /** Resolves once planted values are watched for. */
  readonly begun: unknown;
  readonly port: Handlers<typeof PORT>;
  readonly fake: FakeMachine;
  /** The launcher's end of the streams. */
  readonly user: BulkChannel;
  /** What the controller was told unasked, in order. */
  readonly told: readonly string[];
  /** Types of the records in the port's log so far. */
  readonly records: () => readonly string[];
  readonly recordsOf: (type: string) => readonly Record<string, unknown>[];
  readonly artifacts: string;
}

export const BULK = "drydock.bulk.0";
export const CONTROL = "drydock.control.0";

/** A port process without a process: its session on a fake machine. */
export const testSession = (
  test: { after(fn: () => void): void },
  options: SessionOptions = {},
): TestSession => {
  const directory = temporaryDirectory(test);
  const files = {
    log: join(directory, "port.jsonl"),
    checkpoints: join(directory, "port.checkpoint"),
    artifacts: directory,
    source: join(directory, "source.tar"),
  };
  for (const path of [files.log, files.checkpoints, files.source]) writeFileSync(path, "");
  const fake = fakeMachine(options.script ?? honest, options.tamper);
  const told: string[] = [];
  const [ours, theirs] = pipePair();
  let tick = 0;
  const session = new Session({
    key: signingKeyFromSeed(Buffer.alloc(32, 1)),
    clock: {
      source: "test",
      wall: () => new Date(1_800_000_000_000 + tick).toISOString(),
      monotonicUs: () => ++tick,
    },
    entropy: (bytes) => Buffer.alloc(bytes, 7),
    nowMs: () => tick,
    user: attachBulk(theirs, { role: "acceptor", onClose: () => undefined }),
    controller: {
      guestLost: async ({ code }) => void told.push(`lost ${code}`) as never,
      violation: async ({ channel, code }) =>
        void told.push(`violation ${channel} ${code}`) as never,
    },
    connect: async () => fake.machine,
    files,
  });
  const lines = (): Record<string, unknown>[] =>
    readFileSync(files.log, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const port = session.handlers();
  const begun = port.begin({
    run: "run-1",
    manifest: `sha256:${"1".repeat(64)}`,
    lease: "run-1.body",
    generation: 1,
    limits: {
      consoleBytes: options.consoleBytes ?? 65_536,
      outputBytes: options.outputBytes ?? 65_536,
      artifactCount: 16,
      artifactBytes: 1 << 20,
      artifactDepth: 8,
      guestPids: 128,
      guestFds: 512,
    },
    artifacts: [...(options.artifacts ?? [])],
    canaries: options.canaries ?? [],
  });
  return {
    begun,
    port,
    fake,
    user: attachBulk(ours, { role: "opener", onClose: () => undefined }),
    told,
    records: () => lines().map(({ type }) => String(type)),
    recordsOf: (type) => lines().filter((line) => line["type"] === type),
    artifacts: directory,
  };
};

/** Everything up to where commands may run. */
export const driven = async (session: TestSession): Promise<void> => {
  const { port } = session;
  await session.begun;
  await connected(session);
  await port.handshake({ upper: "upper" });
  await port.grant({ channel: BULK });
};

export const connected = async ({ port }: TestSession): Promise<void> => {
  await port.connect({
    adapter: "fake",
    monitor: "/m",
    console: "/c",
    channels: [{ name: CONTROL, path: "/0" }],
    state: null,
  });
  await port.grant({ channel: CONTROL });
  await port.resume(null);
};

export interface Ran {
  readonly exit: { readonly kind: string };
  readonly stdout: string;
}

/** Runs a command as the launcher would. */
export const run = async (session: TestSession, exec = "e1"): Promise<Ran> => {
  const { port, user } = session;
  const [stdout, stderr] = [user.open(), user.open()];
  stdout.end();
  stderr.end();
  stderr.resume();
  const chunks: Buffer[] = [];
  stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const { exit } = await port.exec({
    exec,
    argv: ["echo", "hi"],
    env: [],
    cwd: "/",
    user: { uid: 1000, gid: 1000 },
    tty: null,
    streams: { stdin: null, stdout: stdout.id, stderr: stderr.id },
  });
  return { exit, stdout: Buffer.concat(chunks).toString() };
};
