import type { Duplex } from "node:stream";
import { quote } from "@drydock/evidence";
import { vmError } from "../errors.js";
import {
  decodeFrame,
  LineSplitter,
  protocol,
  type QmpFrame,
  type QmpObject,
  type QmpValue,
} from "./decode.js";

/** QEMU answers one command at a time; more in flight than this is a bug of ours. */
const MAX_PENDING = 64;
/** The slowest command here takes milliseconds; restoring under full load took less than a second. */
const COMMAND_TIMEOUT_MS = 10_000;

export interface QmpEvent {
  readonly name: string;
  readonly data: QmpObject;
}

interface Pending {
  readonly command: string;
  readonly resolve: (value: QmpValue) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A strict client of QEMU's monitor over any byte pipe. The first breach of protocol closes the
 * pipe and fails everything that waits; events are handed on at once and never stored.
 */
export class QmpClient {
  readonly #pipe: Duplex;
  readonly #lines = new LineSplitter();
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  readonly #greeted: Promise<string>;
  #greet: (version: string) => void = () => undefined;
  #refuseGreeting: (error: Error) => void = () => undefined;
  #version: string | undefined;
  #failure: Error | undefined;
  #nextId = 1;
  readonly closed: Promise<Error>;

  private constructor(pipe: Duplex) {
    this.#pipe = pipe;
    this.#greeted = new Promise((resolve, reject) => {
      this.#greet = resolve;
      this.#refuseGreeting = reject;
    });
    // Whoever awaits the greeting sees its failure; nobody else has to.
    this.#greeted.catch(() => undefined);
    this.closed = new Promise((resolve) => {
      pipe.once("close", () => {
        this.#fail(vmError("QMP_CLOSED", "the VMM closed its monitor"));
        resolve(this.#failure ?? vmError("QMP_CLOSED", "the VMM closed its monitor"));
      });
    });
    pipe.on("error", (cause) =>
      this.#fail(vmError("QMP_CLOSED", "the monitor's pipe broke", { cause })),
    );
    pipe.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  /** Waits for the greeting and leaves negotiation mode. @throws DrydockError QMP_* */
  static async open(pipe: Duplex): Promise<QmpClient> {
    const client = new QmpClient(pipe);
    // Sent ahead of the greeting, which saves one turn: the monitor reads in order anyway.
    const ready = client.execute("qmp_capabilities");
    await Promise.all([client.#greeted, ready]);
    return client;
  }

  /** QEMU's version from its greeting, e.g. "7.2.22". */
  get version(): string {
    return this.#version ?? "";
  }

  /** @returns a function that ends the subscription. */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws DrydockError QMP_COMMAND when QEMU refuses, QMP_CLOSED, QMP_PROTOCOL, QMP_TIMEOUT. */
  execute(command: string, args: QmpObject = {}): Promise<QmpValue> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#pending.size >= MAX_PENDING) {
        return reject(vmError("QMP_PROTOCOL", `${MAX_PENDING} commands are in flight already`));
      }
      const id = this.#nextId;
      this.#nextId += 1;
      const timer = setTimeout(
        () => this.#fail(vmError("QMP_TIMEOUT", `no answer to ${command}`)),
        COMMAND_TIMEOUT_MS,
      );
      this.#pending.set(id, { command, resolve, reject, timer });
      this.#pipe.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
      return undefined;
    });
  }

  close(): void {
    this.#fail(vmError("QMP_CLOSED", "the monitor was closed by us"));
  }

  #read(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (const line of this.#lines.push(chunk)) this.#take(decodeFrame(line));
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #take(frame: QmpFrame): void {
    switch (frame.kind) {
      case "greeting":
        if (this.#version !== undefined) throw protocol("a second greeting");
        this.#version = frame.version;
        this.#greet(frame.version);
        return;
      case "event":
        for (const listener of this.#listeners) listener({ name: frame.name, data: frame.data });
        return;
      case "return":
        this.#settle(frame.id).resolve(frame.value);
        return;
      case "error": {
        const pending = this.#settle(frame.id);
        const what = `${pending.command}: ${quote(frame.text)}`;
        pending.reject(vmError("QMP_COMMAND", `the VMM refused ${what}`));
        return;
      }
    }
  }

  #settle(id: number): Pending {
    const pending = this.#pending.get(id);
    if (pending === undefined) throw protocol(`an answer to nothing (${id})`);
    clearTimeout(pending.timer);
    this.#pending.delete(id);
    return pending;
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#refuseGreeting(error);
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#pending.clear();
    this.#listeners.clear();
    this.#pipe.destroy();
  }
}
