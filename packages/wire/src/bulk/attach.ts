import { Duplex } from "node:stream";
import type { Counters } from "../control/attach.js";
import { CREDIT_STEP_BYTES, MAX_BULK_FRAME_BYTES, MAX_UNSENT_BYTES } from "../limits.js";
import { type BytePipe, type Directions, directionsOf } from "../pipe.js";
import { type CloseReason, WireError } from "../violation.js";
import { dataHeader, finFrame, openFrame, rstFrame, windowFrame } from "./frame.js";
import { type BulkEvent, BulkMux, type BulkRole } from "./mux.js";
import { ByteQueue } from "./queue.js";

export interface BulkOptions {
  /** Who opens: the host on `bulk`, where it never has a stream it didn't ask for; the guest on
   * `egress`, where each stream is one connection of a program in it. */
  readonly role: BulkRole;
  /** Takes each stream that the peer opens; without it they wait for `accept`. */
  readonly onStream?: (stream: BulkStream) => void;
  /** Called once, after every stream has ended or failed. */
  readonly onClose: (reason: CloseReason) => void;
}

export interface BulkChannel {
  /** Opens the next stream. End its writable side at once if it is only read. @throws WireError */
  open(): BulkStream;
  /** The peer's stream of this number, now or when it opens it. Rejects when the channel closes. */
  accept(id: number): Promise<BulkStream>;
  readonly counters: Counters;
  /** Ends the sending direction; the peer ends its own when it has sent everything. */
  end(): void;
}

/** Runs a bulk channel over a byte pipe. Streams have back-pressure and don't block each other. */
export const attachBulk = (pipe: BytePipe, options: BulkOptions): BulkChannel =>
  new Channel(pipe, options);

/** One stream: a Duplex. Destroying it before both directions have ended resets it. */
export class BulkStream extends Duplex {
  readonly id: number;
  readonly #channel: Channel;
  readonly #queue = new ByteQueue();
  #ungranted = 0;
  #wanted = false;
  #received: "open" | "fin" | "delivered" = "open";
  #pending: Pending | null = null;
  #cut: Error | null = null;

  constructor(channel: Channel, id: number) {
    super({ readableHighWaterMark: MAX_BULK_FRAME_BYTES });
    this.#channel = channel;
    this.id = id;
    // A reset by the peer must not become an uncaught exception while nobody listens yet.
    this.on("error", () => undefined);
  }

  override _read(): void {
    this.#wanted = true;
    this.#deliver();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#cut !== null) {
      done(this.#cut);
      return;
    }
    this.#pending = { chunk, at: 0, done };
    this.#channel.pump(this);
  }

  override _final(done: (error?: Error) => void): void {
    this.#channel.sendFin(this.id);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#queue.clear();
    this.#channel.forget(this);
    const pending = this.#pending;
    this.#pending = null;
    pending?.done(error ?? new Error("stream reset"));
    done(error);
  }

  /** Sends one frame of what waits. False: nothing to send, or no credit. */
  sendSome(): boolean {
    const pending = this.#pending;
    if (pending === null) return false;
    const credit = this.#channel.credit(this.id);
    const length = Math.min(pending.chunk.length - pending.at, MAX_BULK_FRAME_BYTES, credit);
    if (length > 0) {
      this.#channel.sendData(this.id, pending.chunk.subarray(pending.at, pending.at + length));
      pending.at += length;
    }
    if (pending.at < pending.chunk.length) return length > 0;
    this.#pending = null;
    pending.done();
    return this.#pending !== null;
  }

  receive(bytes: Uint8Array): void {
    if (this.destroyed) return;
    this.#queue.push(bytes);
    this.#deliver();
  }

  receiveFin(): void {
    this.#received = "fin";
    this.#deliver();
  }

  /** The channel is gone. What was received is still delivered, then the error. */
  cut(error: Error): void {
    if (this.#received !== "open" && this.writableEnded) return;
    this.#cut = error;
    this.#deliver();
  }

  #deliver(): void {
    while (this.#wanted) {
      const piece = this.#queue.shift();
      if (piece === null) break;
      this.#ungranted += piece.length;
      this.#wanted = this.push(piece);
    }
    if (this.#ungranted >= CREDIT_STEP_BYTES && this.#received === "open") {
      this.#channel.grant(this.id, this.#ungranted);
      this.#ungranted = 0;
    }
    if (this.#queue.length > 0) return;
    if (this.#received === "fin") {
      this.#received = "delivered";
      this.push(null);
    }
    if (this.#cut !== null) this.destroy(this.#cut);
  }
}

interface Pending {
  readonly chunk: Buffer;
  at: number;
  readonly done: (error?: Error) => void;
}

const RST_CANCELLED = 1;

/** Written ahead of the pipe, so that it never runs dry between two frames. */
const PIPE_AHEAD_BYTES = 2 * MAX_BULK_FRAME_BYTES;

class Channel implements BulkChannel {
  readonly #pipe: Directions;
  readonly #mux: BulkMux;
  readonly #onClose: (reason: CloseReason) => void;
  readonly #onStream: ((stream: BulkStream) => void) | null;
  readonly #streams = new Map<number, BulkStream>();
  readonly #accepting = new Map<number, Waiter>();
  readonly #unclaimed = new Map<number, BulkStream>();
  /** Streams with something to send, in the order of their turns. */
  readonly #waiting = new Set<BulkStream>();
  readonly counters = { bytesIn: 0, bytesOut: 0 };
  #closed: CloseReason | null = null;
  #blocked = false;
  #pumping = false;

  constructor(pipe: BytePipe, options: BulkOptions) {
    this.#pipe = directionsOf(pipe);
    const { input, output } = this.#pipe;
    this.#mux = new BulkMux(options.role);
    this.#onClose = options.onClose;
    this.#onStream = options.onStream ?? null;
    input.on("data", (bytes: Buffer) => this.#receive(bytes));
    output.on("drain", () => {
      this.#blocked = false;
      this.#pump();
    });
    input.on("end", () => {
      const violation = this.#mux.end();
      this.#close(violation === null ? { kind: "end" } : { kind: "violation", violation });
    });
    const failed = (error: Error): void => this.#close({ kind: "error", error });
    input.on("error", failed);
    output.on("error", failed);
    input.on("close", () => failed(new Error("channel closed")));
    // Whoever read the stream before may have left it paused.
    input.resume();
  }

  open(): BulkStream {
    const id = this.#mux.open();
    this.#send(openFrame(id));
    return this.#add(id);
  }

  accept(id: number): Promise<BulkStream> {
    const waiting = this.#unclaimed.get(id);
    if (waiting !== undefined) {
      this.#unclaimed.delete(id);
      return Promise.resolve(waiting);
    }
    if (this.#closed !== null) return Promise.reject(closedError(this.#closed));
    if (this.#mux.wasOpened(id) || this.#accepting.has(id)) {
      return Promise.reject(new Error(`stream ${id} is over or taken`));
    }
    return new Promise((resolve, reject) => this.#accepting.set(id, { resolve, reject }));
  }

  end(): void {
    this.#pipe.output.end();
  }

  credit(id: number): number {
    return this.#mux.sendCredit(id);
  }

  sendData(id: number, bytes: Buffer): void {
    if (!this.#mux.send(id, { kind: "sendData", length: bytes.length })) return;
    this.#pipe.output.cork();
    this.#send(dataHeader(id, bytes.length));
    this.#send(bytes);
    this.#pipe.output.uncork();
  }

  sendFin(id: number): void {
    if (this.#mux.send(id, { kind: "sendFin" })) this.#send(finFrame(id));
  }

  grant(id: number, credit: number): void {
    if (this.#mux.send(id, { kind: "grant", credit })) this.#send(windowFrame(id, credit));
  }

  forget(stream: BulkStream): void {
    this.#waiting.delete(stream);
    if (!this.#streams.delete(stream.id)) return;
    this.#unclaimed.delete(stream.id);
    if (this.#closed === null && this.#mux.send(stream.id, { kind: "sendRst" })) {
      this.#send(rstFrame(stream.id, RST_CANCELLED));
    }
  }

  pump(stream: BulkStream): void {
    this.#waiting.add(stream);
    this.#pump();
  }

  /** One frame a turn each, until the pipe is full or nobody can send. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    for (const stream of this.#waiting) {
      if (this.#blocked || this.#closed !== null) break;
      this.#waiting.delete(stream);
      if (stream.sendSome()) this.#waiting.add(stream);
    }
    this.#pumping = false;
  }

  #add(id: number): BulkStream {
    const stream = new BulkStream(this, id);
    this.#streams.set(id, stream);
    return stream;
  }

  #send(bytes: Buffer): void {
    if (this.#closed !== null) return;
    this.counters.bytesOut += bytes.length;
    const { output } = this.#pipe;
    output.write(bytes);
    this.#blocked = output.writableNeedDrain && output.writableLength >= PIPE_AHEAD_BYTES;
    if (output.writableLength > MAX_UNSENT_BYTES) {
      const violation = { code: "not-reading", detail: "bulk frames pile up" } as const;
      this.#close({ kind: "violation", violation });
    }
  }

  #receive(bytes: Buffer): void {
    if (this.#closed !== null) return;
    this.counters.bytesIn += bytes.length;
    for (const event of this.#mux.push(bytes)) this.#handle(event);
    const violation = this.#mux.violation;
    if (violation !== null) this.#close({ kind: "violation", violation });
  }

  #handle(event: BulkEvent): void {
    switch (event.kind) {
      case "open": {
        const stream = this.#add(event.stream);
        const accepting = this.#accepting.get(event.stream);
        this.#accepting.delete(event.stream);
        if (this.#onStream !== null) this.#onStream(stream);
        else if (accepting === undefined) this.#unclaimed.set(event.stream, stream);
        else accepting.resolve(stream);
        return;
      }
      case "data":
        this.#streams.get(event.stream)?.receive(event.bytes);
        return;
      case "window": {
        const stream = this.#streams.get(event.stream);
        if (stream !== undefined) this.pump(stream);
        return;
      }
      case "fin":
        this.#streams.get(event.stream)?.receiveFin();
        return;
      case "rst": {
        if (event.answer) this.#send(rstFrame(event.stream, RST_CANCELLED));
        const stream = this.#streams.get(event.stream);
        this.#streams.delete(event.stream);
        this.#unclaimed.delete(event.stream);
        stream?.destroy(new Error("the peer reset the stream"));
        return;
      }
    }
  }

  #close(reason: CloseReason): void {
    if (this.#closed !== null) return;
    this.#closed = reason;
    if (reason.kind !== "end") this.#pipe.destroy();
    const error = closedError(reason);
    for (const accepting of this.#accepting.values()) accepting.reject(error);
    // A stream whose reader still has bytes and FIN is complete; the others are cut.
    for (const stream of [...this.#streams.values()]) stream.cut(error);
    this.#onClose(reason);
  }
}

interface Waiter {
  readonly resolve: (stream: BulkStream) => void;
  readonly reject: (error: Error) => void;
}

const closedError = (reason: CloseReason): Error => {
  switch (reason.kind) {
    case "violation":
      return new WireError(reason.violation);
    case "error":
      return reason.error;
    case "end":
      return new Error("the channel ended before the stream did");
  }
};
