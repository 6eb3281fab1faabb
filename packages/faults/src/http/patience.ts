import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Timers } from "../timers.js";
import { RECEIVE_MS } from "./limits.js";

/**
 * Guard: a connection may be without a whole request for so long, from its start (a TLS handshake
 * included) and from the end of each exchange. Node's own timers run only in servers that listen
 * themselves, and this proxy's HTTP server is handed its connections.
 */
export class Patience {
  readonly #socket: Socket;
  readonly #timers: Timers;
  #incomplete = 0;
  #open = 0;
  #cancel: (() => void) | null = null;

  constructor(socket: Socket, timers: Timers) {
    this.#socket = socket;
    this.#timers = timers;
    socket.once("close", () => this.#cancel?.());
    this.#look();
  }

  /** The head of a request has come. How long its exchange takes then is the faults' business. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#incomplete += 1;
    this.#open += 1;
    request.once("end", () => {
      this.#incomplete -= 1;
      this.#look();
    });
    response.once("close", () => {
      this.#open -= 1;
      this.#look();
    });
  }

  /** A byte now and then buys no time: what runs goes on until nothing is waited for. */
  #look(): void {
    if (this.#incomplete === 0 && this.#open > 0) {
      this.#cancel?.();
      this.#cancel = null;
    } else if (!this.#socket.destroyed)
      this.#cancel ??= this.#timers.after(RECEIVE_MS, () => this.#socket.destroy());
  }
}
