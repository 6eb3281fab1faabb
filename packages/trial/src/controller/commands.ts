import { DrydockError } from "@drydock/evidence";
import type { OwnEnvironment, PORT } from "../contract/index.js";
import type { CommandRejection, CommandVerb } from "../lifecycle/index.js";
import type { Calls } from "../link/index.js";
import type { CommandRequest } from "./context.js";

interface Waiting {
  readonly request: CommandRequest;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  cancel(): void;
}

/** The lifecycle's verb for a request: what goes in is a `put`, whoever asked for it. */
export const verbOf = (request: CommandRequest): CommandVerb =>
  request.verb === "source" ? "put" : request.verb;

/**
 * Commands that were asked for and haven't ended. The lifecycle decides when one is dispatched;
 * whoever asked waits here for its result.
 */
export class Commands {
  readonly #waiting = new Map<string, Waiting>();
  readonly #port: Calls<typeof PORT>;
  readonly #source: { readonly destination: string; readonly owner: { uid: number; gid: number } };
  readonly #environment: () => OwnEnvironment;

  constructor(
    port: Calls<typeof PORT>,
    source: { readonly destination: string; readonly owner: { uid: number; gid: number } },
    /** Variables that every command gets. */
    environment: () => OwnEnvironment,
  ) {
    this.#port = port;
    this.#source = source;
    this.#environment = environment;
  }

  /** Resolves with the command's result once the lifecycle has let it run. */
  expect(command: string, request: CommandRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(command, { request, resolve, reject, cancel: () => undefined });
    });
  }

  /** The lifecycle dispatches. Resolves when the command has ended or was called back. */
  async run(command: string): Promise<void> {
    const waiting = this.#waiting.get(command);
    if (waiting === undefined) throw new DrydockError("INTERNAL", `no command ${command}`);
    const cancelled = new Promise<never>((_resolve, reject) => {
      waiting.cancel = () =>
        reject(new DrydockError("COMMAND_CANCELLED", "the run ended before the command did"));
    });
    try {
      waiting.resolve(await Promise.race([this.#dispatch(waiting.request), cancelled]));
    } catch (error) {
      waiting.reject(error);
      // A command that the agent couldn't start is an answer to who asked, not the run's end.
      if (!isAgentRefusal(error)) throw error;
    } finally {
      this.#waiting.delete(command);
    }
  }

  cancel(command: string): void {
    this.#waiting.get(command)?.cancel();
  }

  reject(command: string, code: CommandRejection): void {
    this.#waiting.get(command)?.reject(new DrydockError(code, "the run takes no such command now"));
    this.#waiting.delete(command);
  }

  /** Nothing that still waits will ever run. */
  rejectAll(): void {
    for (const waiting of this.#waiting.values())
      waiting.reject(new DrydockError("COMMAND_CANCELLED", "the run ended before the command did"));
    this.#waiting.clear();
  }

  #dispatch(request: CommandRequest): Promise<unknown> {
    switch (request.verb) {
      case "exec":
        return this.#port.exec({
          ...request.request,
          env: withOwn(request.request.env, this.#environment()),
        });
      case "put": {
        const { stream, destination, owner } = request.request;
        return this.#port.put({ from: "stream", stream, destination, owner });
      }
      case "get": {
        const { root, globs, stream } = request.request;
        return this.#port.get({ root, globs, stream });
      }
      case "source":
        return this.#port.put({ from: "source", stream: null, ...this.#source });
    }
  }
}

/** Those of the run's own replace others of their names: a placeholder isn't for changing. */
const withOwn = (given: readonly string[], own: OwnEnvironment): readonly string[] => [
  ...given.filter((text) => !own.some(({ name }) => text.startsWith(`${name}=`))),
  ...own.map(({ name, value }) => `${name}=${value}`),
];

/** The agent's own errors are prefixed, so that nothing else can pass for one. */
const isAgentRefusal = (error: unknown): boolean =>
  error instanceof DrydockError && error.code.startsWith("AGENT_");
