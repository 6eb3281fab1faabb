import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { DrydockError } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import type { NetworkNamespace } from "../nft/index.js";
import { findTool } from "../nft/tool.js";
import { type Answer, type Ask, answerSchema, type Endpoint, type Outcome } from "./protocol.js";

/** Beyond the deadline that the prober itself keeps: then it isn't alive any more. */
const ANSWER_MS = 60_000;

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A prober that runs in one container's network namespace. Disposing of it ends its listeners. */
export class ProbingPlace implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #ended: Promise<unknown>;

  /** @param program the prober's file, run by this process's own Node */
  constructor({ descriptor, toolDirectories }: NetworkNamespace, program: string) {
    const nsenter = findTool("nsenter", toolDirectories);
    this.#child = spawn(nsenter, ["--net=/proc/self/fd/3", "--", process.execPath, program], {
      env: {},
      stdio: ["pipe", "pipe", "ignore", descriptor],
    });
    this.#ended = once(this.#child, "close").catch((error: unknown) => error);
    this.#child.on("error", () => this.#fail());
    this.#child.on("close", () => this.#fail());
    // Its end is told by `close`.
    this.#child.stdin?.on("error", () => undefined);
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on("line", (line) => this.#hear(line));
    }
  }

  /** See to it that somebody answers there; `reached` when it was shown from within. */
  async serve(protocol: "tcp" | "udp", on: Endpoint): Promise<Outcome> {
    return (await this.#ask({ ask: "serve", protocol, on })).outcome;
  }

  /** Tries a flow from one of the container's own addresses. */
  async attempt(
    protocol: "tcp" | "udp",
    { from, to, timeoutMs }: { readonly from: string; readonly to: Endpoint; timeoutMs: number },
  ): Promise<Outcome> {
    const source = { host: from, port: 0 };
    return (await this.#ask({ ask: "try", protocol, from: source, to, timeoutMs })).outcome;
  }

  /** Asks a broker for a tunnel to `authority`, host:port. */
  tunnel(broker: Endpoint, authority: string, timeoutMs: number): Promise<Answer> {
    return this.#ask({ ask: "tunnel", broker, authority, timeoutMs });
  }

  /** Asks a name server for the addresses of a name. */
  lookup(at: Endpoint, name: string, timeoutMs: number): Promise<Answer> {
    return this.#ask({ ask: "lookup", at, name, timeoutMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async #ask(ask: WithoutId<Ask>): Promise<Answer> {
    this.#asked += 1;
    const id = this.#asked;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      timer = setTimeout(() => this.#fail(), ANSWER_MS);
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#fail();
      else this.#child.stdin?.write(`${JSON.stringify({ id, ...ask })}\n`);
    });
    return answer.finally(() => clearTimeout(timer));
  }

  #hear(line: string): void {
    let answer: ReturnType<typeof answerSchema.parse>;
    try {
      answer = answerSchema.parse(JSON.parse(line));
    } catch {
      // A prober that says anything else isn't one.
      this.#fail();
      return;
    }
    const { id, ...said } = answer;
    this.#waiting.get(id)?.resolve(said);
    this.#waiting.delete(id);
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(
        new DrydockError<BoundaryCode>("PROBE_FAILED", "a prober ended, or didn't answer", {
          fix: "See whether the container runs and the machine has memory, and try again.",
        }),
      );
    }
    this.#waiting.clear();
  }
}
