import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import {
  attachBulk,
  attachHostControl,
  type Binding,
  type BulkChannel,
  type CloseReason,
  type GuestMessage,
  type HostMessage,
} from "@drydock/wire";
import { runAgent } from "../agent/agent.js";
import type { Exec, ExitStatus, Hello, Platform, Running } from "../agent/platform.js";

export const HELLO: Hello = {
  type: "hello",
  nonce: "nonce-1",
  entropy: Buffer.alloc(32, 1).toString("base64"),
  timeNs: "1900000000000000000",
  limits: { pids: 128, fds: 512 },
  mounts: { upper: "upper" },
};
const BINDING: Binding = { run: "run-1", lease: "lease-1", generation: 1 };
const DEADLINE = "2000000000000000000";

/** A command of the stage: echoes its input, and ends as the test says. */
export interface Actor extends Running {
  readonly exec: Exec;
  readonly signals: string[];
  end(status: ExitStatus): void;
  readonly output: PassThrough;
}

export interface Stage {
  readonly heard: GuestMessage[];
  send(message: HostMessage, payload?: Uint8Array): number;
  hear<T extends GuestMessage["type"]>(type: T): Promise<Extract<GuestMessage, { type: T }>>;
  readonly bulk: BulkChannel;
  readonly actors: Actor[];
  readonly hellos: Hello[];
  /** How the agent saw its control channel end. */
  readonly served: Promise<CloseReason>;
  readonly control: Socket;
}

/** An agent on a machine that is no machine, and a host that talks to it over real sockets. */
export const playStage = async (
  test: { after(fn: () => void): void },
  directory: string,
): Promise<Stage> => {
  const [control, agentControl] = await socketPair(`${directory}/control`);
  const [bulkPipe, agentBulk] = await socketPair(`${directory}/bulk`);
  const root = `${directory}/root`;
  mkdirSync(root);
  const actors: Actor[] = [];
  const hellos: Hello[] = [];
  const platform: Platform = {
    openPort: async (name) => (name.startsWith("drydock.control") ? agentControl : agentBulk),
    setUp: async (hello) => {
      hellos.push(hello);
      return {
        kernel: "stage",
        node: process.version,
        timeNs: hello.timeNs,
        uptimeMs: 1,
        pidsMax: hello.limits.pids,
        fdsMax: hello.limits.fds,
      };
    },
    spawn: async (exec) => {
      const actor = act(exec);
      actors.push(actor);
      return actor;
    },
    root,
    nowNs: () => 1_900_000_000_000_000_000n,
    announce: () => undefined,
  };
  const served = runAgent(platform);
  const heard: GuestMessage[] = [];
  const waiting = new Set<() => void>();
  const channel = attachHostControl(control, BINDING, {
    onFrame: ({ message }) => {
      heard.push(message);
      for (const wake of waiting) wake();
    },
    onClose: () => undefined,
    nowNs: () => null,
  });
  const bulk = attachBulk(bulkPipe, { role: "opener", onClose: () => undefined });
  test.after(() => {
    for (const socket of [control, agentControl, bulkPipe, agentBulk]) socket.destroy();
  });
  return {
    heard,
    send: (message, payload) => channel.send(message, DEADLINE, payload),
    hear: (type) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = heard.find((message) => message.type === type);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found as never);
        };
        waiting.add(look);
        look();
      }),
    bulk,
    actors,
    hellos,
    served,
    control,
  };
};

const act = (exec: Exec): Actor => {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const signals: string[] = [];
  let finish: (status: ExitStatus) => void = () => undefined;
  const exit = new Promise<ExitStatus>((resolve) => {
    finish = resolve;
  });
  stdin.pipe(stdout, { end: false });
  return {
    exec,
    pid: 42,
    stdin,
    stdout,
    stderr,
    exit,
    signals,
    output: stdout,
    signal: (signal, target) => signals.push(`${signal} ${target}`),
    resize: (rows, columns) => signals.push(`resize ${rows} ${columns}`),
    end(status) {
      stdout.end();
      stderr.end();
      finish(status);
    },
  };
};

const socketPair = async (path: string): Promise<readonly [Socket, Socket]> => {
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  const near = connect(path);
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  return [near, far];
};
