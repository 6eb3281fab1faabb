import { type ChildProcess, spawn } from "node:child_process";
import { DrydockError } from "@drydock/evidence";
import type { Fault, Operation, Phase } from "../arming/model.js";
import type { ExchangeRecord } from "../http/model.js";
import { readLines } from "./lines.js";
import { findProgram } from "./program.js";
import { type Command, parseCommand, parseTold, type StartCommand, type Told } from "./protocol.js";

export interface FaultProxyOptions {
  /** IP address and port of this machine; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /**
   * An IP address, never a name: what it stands for was decided before. With TLS its certificate
   * has to be of one of the `ca` (PEM), for `serverName` or else for the address.
   */
  readonly upstream: {
    readonly host: string;
    readonly port: number;
    readonly tls?: { readonly ca: string; readonly serverName?: string };
  };
  /** PEM; without it the proxy speaks plain HTTP to its clients. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Templates of the paths that the log may name: `/api/v2/firewall/alias`, `/a/{name}`. */
  readonly paths?: readonly string[];
  /** From then on no mutation passes. Can only be brought nearer. */
  readonly mutationsForMs?: number;
  /** Addresses other than loopback have to be asked for. */
  readonly beyondLoopback?: { readonly listen?: boolean; readonly upstream?: boolean };
}

export interface ArmOptions {
  readonly phase: Phase;
  /** One, or several that happen to the same request. */
  readonly fault: Fault | readonly Fault[];
  /** Draws every amount that is a range. */
  readonly seed: number;
  /** At the so many-eth request of the phase from now on; the first unless given. */
  readonly nth?: number;
}

/** How a proxy's process ended. */
export interface ProxyEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** How long a process may take to listen, on a busy machine. */
const START_MS = 30_000;
/** Of what it says last. */
const MAX_SAID = 2_000;

type Unnumbered<C> = C extends { id: number } ? Omit<C, "id"> : never;

/**
 * A fault proxy in a process of its own, held by a pipe: it ends when the pipe does. Everything
 * rejects with FAULT_PROXY_GONE once it has ended, whoever ended it.
 */
export class FaultProxy {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Told | DrydockError) => void>();
  readonly #records = new Map<number, ExchangeRecord>();
  #next = 1;
  #said = "";
  #malformed: DrydockError | null = null;
  #armed = 0;
  #address = { host: "", port: 0 };
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProxyEnd>;

  private constructor(program: string) {
    // Nothing of the harness's environment is its business, credentials least.
    const child = spawn(process.execPath, [program], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once("error", () => resolve({ code: null, signal: null }));
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    void this.ended.then((end) => this.#gone(end));
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => {
      this.#said = `${this.#said}${chunk}`.slice(-MAX_SAID);
    });
    readLines(
      child.stdout,
      (line) => this.#hear(line),
      () => this.#break(new DrydockError("CONTROL_MALFORMED", "a control line is too long")),
    );
  }

  /**
   * Starts one, and resolves when it listens.
   *
   * @throws DrydockError LISTEN_NOT_LOOPBACK, UPSTREAM_NOT_LOOPBACK, LISTEN_FAILED, TLS_INVALID,
   * CONTROL_MALFORMED for options that aren't of the form above, FAULT_PROXY_GONE
   */
  static async install(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(findProgram());
    const late = setTimeout(() => proxy.#child.kill("SIGKILL"), START_MS);
    try {
      const ready = await proxy.#ask({ type: "start", options: startCommandOf(options) });
      if (ready.type === "ready") proxy.#address = { host: ready.host, port: ready.port };
      return proxy;
    } catch (error) {
      await proxy.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.#address;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Arms faults for one request, the next of its phase, and resolves to what the log calls the
   * arming. It fires at most once.
   *
   * @throws DrydockError FAULTS_CONTRADICT, TOO_MANY_ARMINGS, CONTROL_MALFORMED, FAULT_PROXY_GONE
   */
  async arm({ phase, fault, seed, nth = 1 }: ArmOptions): Promise<string> {
    this.#armed += 1;
    const name = `arming-${this.#armed}`;
    const faults = isSeveral(fault) ? [...fault] : [fault];
    await this.#ask({ type: "arm", name, arming: { phase, nth, faults, seed } });
    return name;
  }

  /** Takes back whatever hasn't fired. */
  async disarm(): Promise<void> {
    await this.#ask({ type: "disarm" });
  }

  /** From here on reads are before a mutation again, of this operation. */
  async begin(operation: Operation): Promise<void> {
    await this.#ask({ type: "begin", operation });
  }

  /** Brings the moment nearer from which no mutation passes; later ones have no effect. */
  async refuseMutationsAfter(ms: number): Promise<void> {
    await this.#ask({ type: "deadline", mutationsForMs: ms });
  }

  /** Every exchange so far in order, also those that are open. */
  async log(): Promise<readonly ExchangeRecord[]> {
    await this.#ask({ type: "sync" });
    return this.recorded;
  }

  /** What has arrived of the log, also after the process has ended. */
  get recorded(): readonly ExchangeRecord[] {
    return [...this.#records.values()];
  }

  /** Ends it, with every connection. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.ended;
  }

  #ask(command: Unnumbered<Command>): Promise<Told> {
    const id = this.#next;
    this.#next += 1;
    const line = `${JSON.stringify({ ...command, id })}\n`;
    return new Promise((resolve, reject) => {
      if (this.#malformed !== null || this.#child.exitCode !== null || !this.#child.stdin?.writable)
        return reject(this.#malformed ?? goneError(this.#child, this.#said));
      // What the other end would refuse is refused here, where the caller is told the place.
      parseCommand(Buffer.from(line));
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id);
        if (answer instanceof DrydockError) reject(answer);
        else resolve(answer);
      });
      this.#child.stdin.write(line);
    });
  }

  #hear(line: Buffer): void {
    try {
      const told = parseTold(line);
      switch (told.type) {
        case "record":
          this.#records.set(told.record.seq, told.record);
          break;
        case "failed": {
          const { id, code, message, fix } = told;
          const options = fix === null ? {} : { fix };
          this.#waiting.get(id)?.(new DrydockError(code, message, options));
          break;
        }
        case "ready":
        case "done":
          this.#waiting.get(told.id)?.(told);
          break;
      }
    } catch (error) {
      if (!(error instanceof DrydockError)) throw error;
      this.#break(error);
    }
  }

  /** Whoever answers like that isn't asked again. */
  #break(error: DrydockError): void {
    this.#malformed = error;
    this.#child.kill("SIGKILL");
  }

  #gone({ code, signal }: ProxyEnd): void {
    const error = this.#malformed ?? goneError({ exitCode: code, signalCode: signal }, this.#said);
    for (const answer of [...this.#waiting.values()]) answer(error);
  }
}

const isSeveral = (fault: Fault | readonly Fault[]): fault is readonly Fault[] =>
  Array.isArray(fault);

const goneError = (
  {
    exitCode,
    signalCode,
  }: { readonly exitCode: number | null; readonly signalCode: string | null },
  said: string,
): DrydockError =>
  new DrydockError(
    "FAULT_PROXY_GONE",
    `the fault proxy has ended (${signalCode ?? exitCode ?? "not started"})${said === "" ? "" : `: ${said.trim()}`}`,
    { fix: "What passed it last is known only from its log so far; install another one." },
  );

const startCommandOf = (options: FaultProxyOptions): StartCommand => {
  const { listen, upstream, tls, paths = [], mutationsForMs, beyondLoopback } = options;
  return {
    listen,
    upstream: {
      host: upstream.host,
      port: upstream.port,
      tls:
        upstream.tls === undefined
          ? null
          : { ca: upstream.tls.ca, serverName: upstream.tls.serverName ?? null },
    },
    tls: tls ?? null,
    paths: [...paths],
    mutationsForMs: mutationsForMs ?? null,
    beyondLoopback: {
      listen: beyondLoopback?.listen ?? false,
      upstream: beyondLoopback?.upstream ?? false,
    },
  };
};
