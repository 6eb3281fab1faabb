import { createServer, type Server, type Socket } from "node:net";
import { chanceOf } from "../chance/index.js";
import type { Timers } from "../timers.js";
import { Connection } from "./connection.js";
import type { HeldBytes } from "./held.js";
import type { Toxic } from "./link.js";
import { type Address, listenOn } from "./listen.js";
import { hasRoom } from "./room.js";
import { DIRECTIONS, type Direction } from "./toxics/index.js";

/** What the proxies of a process share. */
export interface Shared {
  readonly timers: Timers;
  readonly held: HeldBytes;
  /** Of all proxies; see `hasRoom`. */
  connections: number;
  /** What is drawn by chance is drawn from this. */
  readonly seed: number;
}

/** A proxy of bytes: a listener, an upstream, and toxics for either direction. */
export class TcpProxy {
  readonly #shared: Shared;
  readonly #name: string;
  readonly #toxics: Record<Direction, readonly Toxic[]> = { upstream: [], downstream: [] };
  readonly #connections = new Set<Connection>();
  #server: Server | null = null;
  #accepted = 0;

  constructor(name: string, shared: Shared) {
    this.#name = name;
    this.#shared = shared;
  }

  /** @throws DrydockError LISTEN_FAILED */
  async start(listen: Address, upstream: Address): Promise<Address> {
    const server = createServer(
      { pauseOnConnect: true, allowHalfOpen: true, noDelay: true },
      (client) => this.#accept(client, upstream),
    );
    const address = await listenOn(server, listen);
    this.#server = server;
    return address;
  }

  /** Accepts nothing more and ends every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of [...this.#connections]) connection.destroy();
    await closed;
  }

  add(direction: Direction, toxic: Toxic): void {
    this.#toxics[direction] = [...this.#toxics[direction], toxic];
    for (const { links } of this.#connections) links[direction].add(toxic);
  }

  update(direction: Direction, toxic: Toxic): void {
    this.#toxics[direction] = this.#toxics[direction].map((one) =>
      one.name === toxic.name ? toxic : one,
    );
    for (const { links } of this.#connections) links[direction].update(toxic);
  }

  remove(direction: Direction, name: string): void {
    this.#toxics[direction] = this.#toxics[direction].filter((one) => one.name !== name);
    for (const { links } of this.#connections) links[direction].remove(name);
  }

  clear(): void {
    for (const direction of DIRECTIONS)
      for (const { name } of this.#toxics[direction]) this.remove(direction, name);
  }

  #accept(client: Socket, upstream: Address): void {
    if (!hasRoom(this.#shared.connections)) {
      client.destroy();
      return;
    }
    this.#shared.connections += 1;
    this.#accepted += 1;
    const seedOf = (direction: Direction): number =>
      chanceOf(this.#shared.seed, this.#name, this.#accepted, direction);
    const connection = new Connection({
      ...{ client, upstream, toxics: this.#toxics },
      ...{ timers: this.#shared.timers, held: this.#shared.held },
      seeds: { upstream: seedOf("upstream"), downstream: seedOf("downstream") },
      onClosed: () => {
        this.#connections.delete(connection);
        this.#shared.connections -= 1;
      },
    });
    this.#connections.add(connection);
  }
}
