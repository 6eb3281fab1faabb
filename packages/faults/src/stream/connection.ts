import { connect, type Socket } from "node:net";
import { resetConnection } from "../http/reset.js";
import type { Timers } from "../timers.js";
import type { HeldBytes } from "./held.js";
import { CLOSE_MS, CONNECT_MS, READ_BYTES } from "./limits.js";
import { Link, type Toxic } from "./link.js";
import type { Address } from "./listen.js";
import type { Direction, Output } from "./toxics/index.js";

export interface ConnectionOptions {
  /** Accepted and paused. */
  readonly client: Socket;
  readonly upstream: Address;
  readonly toxics: Readonly<Record<Direction, readonly Toxic[]>>;
  /** Of each direction its own. */
  readonly seeds: Readonly<Record<Direction, number>>;
  readonly timers: Timers;
  readonly held: HeldBytes;
  readonly onClosed: () => void;
}

/**
 * A client's connection and the one that it has to the upstream. Back-pressure is the streams'
 * own: a side that takes nothing stops the other from being read.
 */
export class Connection {
  readonly links: Readonly<Record<Direction, Link>>;
  readonly #options: ConnectionOptions;
  readonly #client: Socket;
  readonly #upstream: Socket;
  #open = 2;
  #connected = false;
  /** A toxic or a failure has ended it: what its sockets say from now on is only that. */
  #over = false;
  #cancelLate: () => void;

  constructor(options: ConnectionOptions) {
    const { client, upstream, timers } = options;
    this.#options = options;
    this.#client = client;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    this.#upstream = connect({
      ...{ host: upstream.host, port: upstream.port, noDelay: true, allowHalfOpen: true },
      // It would give each attempt a socket of its own, without the buffer.
      autoSelectFamily: false,
      // One buffer for every read: it is with the kernel or copied when the next one starts.
      onread: {
        buffer,
        callback: (length) => {
          down.take(buffer.subarray(0, length), true);
          return true;
        },
      },
    });
    const up: Pipe = new Pipe(
      client,
      this.#upstream,
      this.#link("upstream", () => up),
    );
    const down: Pipe = new Pipe(
      this.#upstream,
      client,
      this.#link("downstream", () => down),
    );
    this.links = { upstream: up.link, downstream: down.link };
    this.#cancelLate = timers.after(CONNECT_MS, () => this.destroy());
    this.#upstream.once("connect", () => {
      this.#connected = true;
      this.#cancelLate();
      up.start();
      down.start();
      client.on("data", (chunk: Buffer) => up.take(chunk, false));
      client.resume();
    });
    for (const socket of [client, this.#upstream]) {
      socket.on("error", () => this.#failed(socket));
      socket.once("close", () => this.#closed(socket));
    }
  }

  destroy(): void {
    this.#over = true;
    this.#client.destroy();
    this.#upstream.destroy();
  }

  #link(direction: Direction, pipe: () => Pipe): Link {
    const { toxics, seeds, timers, held } = this.#options;
    return new Link({
      ...{ toxics: toxics[direction], seed: seeds[direction], timers, held },
      onOutput: (output) => this.#deliver(pipe(), output),
      onRoom: () => pipe().readOn(),
    });
  }

  #deliver(pipe: Pipe, output: Output): void {
    switch (output.kind) {
      case "data":
        pipe.write(output.bytes);
        break;
      case "end":
        pipe.end();
        break;
      case "close":
        this.#over = true;
        for (const socket of [this.#client, this.#upstream]) socket.destroySoon();
        // A peer that doesn't read must not keep it.
        this.#cancelLate = this.#options.timers.after(CLOSE_MS, () => this.destroy());
        break;
      case "reset":
        this.#over = true;
        for (const socket of [this.#client, this.#upstream]) resetConnection(socket);
        break;
    }
  }

  /** A reset goes on as one, behind what came before it. */
  #failed(socket: Socket): void {
    if (this.#over) return;
    // Nobody to pass anything on to: the other one ends as well.
    if (!this.#connected) this.destroy();
    else this.links[socket === this.#client ? "upstream" : "downstream"].push({ kind: "reset" });
  }

  #closed(socket: Socket): void {
    this.#open -= 1;
    if (this.#open > 0) {
      if (!socket.readableEnded) this.#failed(socket);
      return;
    }
    this.#cancelLate();
    for (const link of Object.values(this.links)) link.close();
    this.#options.onClosed();
  }
}

/** One direction, from one socket to the other. */
class Pipe {
  readonly link: Link;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #onWritten = (): void => {
    this.#writing -= 1;
    this.readOn();
  };
  #writing = 0;
  #paused = false;

  constructor(from: Socket, to: Socket, link: Link) {
    this.#from = from;
    this.#to = to;
    this.link = link;
  }

  start(): void {
    this.#from.once("end", () => this.link.push({ kind: "end" }));
  }

  /** @param reused whether the chunk's memory is written to again when this has returned */
  take(chunk: Buffer, reused: boolean): void {
    if (this.link.isClear) {
      this.write(chunk);
      return;
    }
    this.link.push({ kind: "data", bytes: reused ? Buffer.from(chunk) : chunk });
    if (this.link.isFull) this.#pause();
  }

  write(bytes: Uint8Array): void {
    if (!this.#to.writable) return;
    this.#writing += 1;
    this.#to.write(bytes, this.#onWritten);
    // What the kernel didn't take at once still lies in the memory that it was read into.
    if (this.#to.writableLength > 0) this.#pause();
  }

  end(): void {
    this.#to.end();
  }

  readOn(): void {
    if (!this.#paused || this.#writing > 0 || this.link.isFull) return;
    this.#paused = false;
    this.#from.resume();
  }

  #pause(): void {
    this.#paused = true;
    this.#from.pause();
  }
}
