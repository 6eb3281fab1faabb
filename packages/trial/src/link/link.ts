import type { Duplex } from "node:stream";
import { DrydockError, isDrydockError, withSystemErrors } from "@drydock/evidence";
import { LineSplitter } from "./lines.js";

/** Why a link ended; `closed` is the other side's doing, `violation` is ours. */
export type LinkEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "violation"; readonly detail: string };

/** Turns an untyped value into a typed one, or throws. */
export type Reader<T> = (value: unknown) => T;

/** One call that a process answers: how its argument and its result are read. */
export interface Method<Params, Result> {
  readonly params: Reader<Params>;
  readonly result: Reader<Result>;
}

// biome-ignore lint/suspicious/noExplicitAny: the only way to say "some method" in a mapped type
export type Contract = Readonly<Record<string, Method<any, any>>>;

export type Handlers<C extends Contract> = {
  readonly [Name in keyof C]: (
    params: ReturnType<C[Name]["params"]>,
  ) => Promise<ReturnType<C[Name]["result"]>> | ReturnType<C[Name]["result"]>;
};

export type Calls<C extends Contract> = {
  readonly [Name in keyof C]: (
    params: ReturnType<C[Name]["params"]>,
  ) => Promise<ReturnType<C[Name]["result"]>>;
};

/** Calls waiting for an answer; a process that asks for more than this is broken. */
const MAX_PENDING = 256;

interface Pending {
  readonly method: string;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Message =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: WireError };

interface WireError {
  readonly code: string;
  readonly message: string;
  readonly fix: string | null;
}

/**
 * A typed conversation between two host processes over one socket pair: both sides may call. Every
 * message is read strictly; the first one that isn't understood ends the link, because a process
 * that sends nonsense can't be trusted to have done what it was asked.
 */
export class Link {
  readonly #stream: Duplex;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<LinkEnd>;
  #finish: (end: LinkEnd) => void = () => undefined;
  #end: LinkEnd | null = null;
  #nextId = 1;
  #contract: Contract = {};
  #handlers: Readonly<Record<string, (params: unknown) => unknown>> = {};

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const splitter = new LineSplitter();
    stream.on("data", (chunk: Buffer) => {
      if (this.#end !== null) return;
      const split = splitter.push(chunk);
      switch (split.kind) {
        case "overlong":
          this.#close({ kind: "violation", detail: `a line over ${split.limit} bytes` });
          return;
        case "lines":
          for (const line of split.lines) this.#receive(line);
      }
    });
    stream.on("close", () => this.#close({ kind: "closed" }));
    stream.on("end", () => this.#close({ kind: "closed" }));
    // "close" follows; the reason is the same for us: the other side is gone.
    stream.on("error", () => this.#close({ kind: "closed" }));
  }

  /** Resolves once, when the link is over. */
  get ended(): Promise<LinkEnd> {
    return this.#ended;
  }

  /** Answers calls of the other side from now on. */
  serve<C extends Contract>(contract: C, handlers: Handlers<C>): void {
    this.#contract = contract;
    this.#handlers = handlers as Readonly<Record<string, (params: unknown) => unknown>>;
  }

  /** The other side's methods as functions. */
  calls<C extends Contract>(contract: C): Calls<C> {
    const entries = Object.entries(contract).map(([name, method]) => [
      name,
      async (params: unknown) => method.result(await this.#call(name, params)),
    ]);
    return Object.fromEntries(entries) as Calls<C>;
  }

  close(): void {
    this.#close({ kind: "closed" });
  }

  #call(method: string, params: unknown): Promise<unknown> {
    if (this.#end !== null)
      return Promise.reject(
        new DrydockError("LINK_CLOSED", `${method}: the other process is gone`),
      );
    if (this.#pending.size >= MAX_PENDING)
      return Promise.reject(new DrydockError("LINK_BUSY", `${method}: too many calls waiting`));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#send({ kind: "call", id, method, params });
    });
  }

  #send(message: Message): void {
    if (this.#end === null) this.#stream.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: Buffer): void {
    if (this.#end !== null) return;
    const message = readMessage(line);
    if (message === null) {
      this.#close({ kind: "violation", detail: "a line that is no message" });
      return;
    }
    switch (message.kind) {
      case "call":
        void this.#answer(message.id, message.method, message.params);
        return;
      case "result":
      case "error": {
        const pending = this.#pending.get(message.id);
        if (pending === undefined) {
          this.#close({ kind: "violation", detail: `an answer to call ${message.id}, never made` });
          return;
        }
        this.#pending.delete(message.id);
        if (message.kind === "result") pending.resolve(message.value);
        else
          pending.reject(
            new DrydockError(message.error.code, message.error.message, {
              ...(message.error.fix === null ? {} : { fix: message.error.fix }),
            }),
          );
      }
    }
  }

  async #answer(id: number, name: string, params: unknown): Promise<void> {
    const method = Object.hasOwn(this.#contract, name) ? this.#contract[name] : undefined;
    const handler = this.#handlers[name];
    if (method === undefined || handler === undefined) {
      this.#close({ kind: "violation", detail: `a call of "${name.slice(0, 64)}"` });
      return;
    }
    let typed: unknown;
    try {
      typed = method.params(params);
    } catch (error) {
      this.#close({ kind: "violation", detail: `arguments of ${name}: ${String(error)}` });
      return;
    }
    try {
      this.#send({ kind: "result", id, value: (await handler(typed)) ?? null });
    } catch (error) {
      this.#send({ kind: "error", id, error: toWireError(error) });
    }
  }

  #close(end: LinkEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    for (const pending of this.#pending.values())
      pending.reject(
        new DrydockError("LINK_CLOSED", `${pending.method}: the other process is gone`),
      );
    this.#pending.clear();
    this.#stream.destroy();
    this.#finish(end);
  }
}

const toWireError = (thrown: unknown): WireError => {
  const error = withSystemErrors(thrown);
  return isDrydockError(error)
    ? { code: error.code, message: error.message, fix: error.fix ?? null }
    : {
        code: "INTERNAL",
        message: error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error),
        fix: null,
      };
};

const readMessage = (line: Buffer): Message | null => {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    // Not JSON: the caller ends the link.
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { kind, id, ...rest } = value as Record<string, unknown>;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1) return null;
  const keys = Object.keys(rest).sort().join();
  switch (kind) {
    case "call":
      return keys === "method,params" && typeof rest["method"] === "string"
        ? { kind, id, method: rest["method"], params: rest["params"] }
        : null;
    case "result":
      return keys === "value" ? { kind, id, value: rest["value"] } : null;
    case "error": {
      const error = rest["error"] as Partial<WireError> | null | undefined;
      return keys === "error" &&
        typeof error?.code === "string" &&
        typeof error.message === "string" &&
        (error.fix === null || typeof error.fix === "string")
        ? { kind, id, error: { code: error.code, message: error.message, fix: error.fix } }
        : null;
    }
    default:
      return null;
  }
};
