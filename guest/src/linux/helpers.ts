import { type ChildProcess, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Duplex, Writable } from "node:stream";
import { AgentError } from "../agent/errors.js";

/** A `drydock-native` process that has been started and waits for its one message. */
export interface Helper {
  readonly pid: number;
  readonly input: Writable;
  /** Descriptor 3 of the helper. */
  readonly channel: Duplex;
}

export type HelperMode = "guest-relay" | "guest-setup" | "guest-spawn";

export const startHelper = (native: string, mode: HelperMode, ...rest: string[]): Helper => {
  const child: ChildProcess = spawn(native, [mode, ...rest], {
    stdio: ["pipe", "ignore", "inherit", "pipe"],
    env: {},
  });
  const input = child.stdin;
  const channel = child.stdio[3];
  if (input === null || !isDuplex(channel) || child.pid === undefined) {
    throw new AgentError("spawn-failed", `${native} ${mode}`);
  }
  child.on("error", (error) => channel.destroy(error));
  // Its end shows on the channel; a broken pipe on the way there says nothing more.
  input.on("error", () => undefined);
  return { pid: child.pid, input, channel };
};

const isDuplex = (stream: unknown): stream is Duplex =>
  stream !== null && typeof stream === "object" && "write" in stream && "read" in stream;

/** The lines that a helper says, one at a time; null once it has ended. */
export class Lines {
  readonly #ready: string[] = [];
  readonly #waiting: ((line: string | null) => void)[] = [];
  #ended = false;

  readonly #interface: Interface;

  constructor(channel: Duplex) {
    const lines = createInterface({ input: channel });
    this.#interface = lines;
    lines.on("line", (line) => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#ready.push(line);
      else waiting(line);
    });
    const end = (): void => {
      this.#ended = true;
      for (const waiting of this.#waiting.splice(0)) waiting(null);
    };
    lines.on("close", end);
    channel.on("error", end);
  }

  /** No more lines: what comes next belongs to somebody else. */
  release(): void {
    this.#interface.close();
  }

  next(): Promise<string | null> {
    const line = this.#ready.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
