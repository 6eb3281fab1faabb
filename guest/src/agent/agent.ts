import {
  type AgentErrorCode,
  attachBulk,
  attachGuestControl,
  type BulkChannel,
  type BytePipe,
  type CloseReason,
  type ControlFrame,
  type GuestMessage,
  type HostMessage,
  MAX_LIST_LENGTH,
} from "@drydock/wire";
import { collect } from "./collect.js";
import { AgentError } from "./errors.js";
import { connectStreams } from "./exec.js";
import { plant } from "./plant.js";
import type { Exec, Platform, Running } from "./platform.js";
import { type EgressDoor, openEgressDoor } from "./proxy.js";
import { put } from "./put.js";

export const AGENT_VERSION = "drydock-agent/1";
const CONTROL_PORT = "drydock.control.0";
const BULK_PORT = /^drydock\.bulk\./;
const EGRESS_PORT = /^drydock\.egress\./;

/**
 * Serves one host over the control port until that channel closes, and says how it closed. The
 * host may send everything at once: each request waits for what it needs.
 */
export const runAgent = (platform: Platform): Promise<CloseReason> =>
  new Promise((resolve) => {
    new Agent(platform, resolve).start().catch((error: unknown) => {
      resolve({ kind: "error", error: error instanceof Error ? error : new Error(String(error)) });
    });
  });

class Agent {
  readonly #platform: Platform;
  readonly #onClose: (reason: CloseReason) => void;
  readonly #running = new Map<string, Promise<Running>>();
  #control: ReturnType<typeof attachGuestControl> | null = null;
  #ready: Promise<void> | null = null;
  #clockSet = false;
  #bulk: Promise<BulkChannel> | null = null;
  #deadline = "0";

  constructor(platform: Platform, onClose: (reason: CloseReason) => void) {
    this.#platform = platform;
    this.#onClose = onClose;
  }

  async start(): Promise<void> {
    this.#control = attachGuestControl(await this.#platform.openPort(CONTROL_PORT), {
      onFrame: (frame) => this.#receive(frame),
      onClose: this.#onClose,
      nowNs: () => (this.#clockSet ? this.#platform.nowNs() : null),
    });
    this.#platform.announce("drydock-agent: waiting");
  }

  #receive(frame: ControlFrame<HostMessage>): void {
    this.#deadline = frame.deadline;
    if ((frame.message.type === "hello") !== (this.#ready === null)) {
      this.#control?.refuse("unexpected-message", `${frame.message.type} out of place`);
      return;
    }
    this.#serve(frame).catch((error: unknown) => this.#fail(frame, error));
  }

  async #serve({ message, payload }: ControlFrame<HostMessage>): Promise<void> {
    switch (message.type) {
      case "hello":
        this.#ready = this.#greet(message);
        return this.#ready;
      case "channel":
        return this.#channel(message.name);
      case "exec":
        return this.#exec(message);
      case "signal":
        return (await this.#find(message.exec)).signal(message.signal, message.target);
      case "resize":
        return (await this.#find(message.exec)).resize(message.rows, message.cols);
      case "put": {
        const stream = await this.#stream(message.stream);
        await this.#ready;
        this.#send({
          type: "putDone",
          stream: message.stream,
          ...(await put(this.#platform.root, message, stream)),
        });
        return;
      }
      case "plant":
        await this.#ready;
        plant(this.#platform.root, message);
        this.#send({ type: "planted", path: message.path });
        return;
      case "collect": {
        const stream = await this.#stream(message.stream);
        await this.#ready;
        this.#send({
          type: "collectDone",
          stream: message.stream,
          ...(await collect(this.#platform.root, message, stream)),
        });
        return;
      }
      case "ping":
        await this.#ready;
        this.#send({ type: "pong", nonce: message.nonce }, payload);
        return;
      case "shutdown":
        this.#control?.end();
        this.#onClose({ kind: "end" });
        return;
    }
  }

  async #greet(hello: Extract<HostMessage, { type: "hello" }>): Promise<void> {
    const facts = await this.#platform.setUp(hello);
    this.#clockSet = true;
    this.#send({ type: "ready", nonce: hello.nonce, agent: AGENT_VERSION, facts });
  }

  async #channel(name: string): Promise<void> {
    const port = this.#platform.openPort(name);
    if (BULK_PORT.test(name)) this.#bulk = port.then((pipe) => this.#attach(pipe));
    await Promise.all([port, this.#ready]);
    if (EGRESS_PORT.test(name)) await this.#serveEgress(await port);
    this.#send({ type: "channelOpen", name });
  }

  async #serveEgress(pipe: BytePipe): Promise<void> {
    let door: EgressDoor | null = null;
    const channel = attachBulk(pipe, { role: "opener", onClose: () => door?.close() });
    door = await openEgressDoor(channel);
  }

  #attach(pipe: BytePipe): BulkChannel {
    return attachBulk(pipe, {
      role: "acceptor",
      onClose: () => {
        this.#bulk = null;
      },
    });
  }

  async #exec(message: Exec): Promise<void> {
    if (this.#running.has(message.exec)) throw new AgentError("exec-exists", message.exec);
    if (this.#running.size >= MAX_LIST_LENGTH) throw new AgentError("too-many", "commands");
    const streams = Promise.all([
      this.#stream(message.stdin),
      this.#stream(message.stdout),
      this.#stream(message.stderr),
    ]);
    // Without its streams a command fails below; until then this is no unhandled rejection.
    streams.catch(() => undefined);
    const starting = (this.#ready ?? Promise.resolve()).then(() => this.#platform.spawn(message));
    this.#running.set(message.exec, starting);
    try {
      const running = await starting;
      this.#send({ type: "execStarted", exec: message.exec, pid: running.pid });
      connectStreams(running, await streams);
      this.#send({ type: "execExit", exec: message.exec, status: await running.exit });
    } finally {
      this.#running.delete(message.exec);
    }
  }

  #find(exec: string): Promise<Running> {
    return this.#running.get(exec) ?? Promise.reject(new AgentError("unknown-exec", exec));
  }

  async #stream(id: number) {
    if (this.#bulk === null) throw new AgentError("stream-failed", "no bulk channel");
    try {
      return await (await this.#bulk).accept(id);
    } catch (error) {
      throw new AgentError("stream-failed", `stream ${id}`, error);
    }
  }

  #send(message: GuestMessage, payload?: Uint8Array): void {
    this.#control?.send(message, this.#deadline, payload);
  }

  #fail({ seq, message }: ControlFrame<HostMessage>, error: unknown): void {
    const code = error instanceof AgentError ? error.code : FAILURES[message.type];
    const text = error instanceof Error ? error.message : String(error);
    this.#send({
      type: "error",
      ref: seq,
      code,
      message: text.replaceAll("\0", "").slice(0, 1024),
    });
  }
}

/** What failed, when the error itself doesn't say. */
const FAILURES: Readonly<Record<HostMessage["type"], AgentErrorCode>> = {
  hello: "setup-failed",
  channel: "stream-failed",
  exec: "spawn-failed",
  signal: "spawn-failed",
  resize: "spawn-failed",
  put: "put-failed",
  plant: "plant-failed",
  collect: "collect-failed",
  ping: "setup-failed",
  shutdown: "setup-failed",
};
