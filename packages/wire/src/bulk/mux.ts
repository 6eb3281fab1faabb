import { MAX_STREAMS } from "../limits.js";
import { type Violation, violated, WireError } from "../violation.js";
import { BULK_HEADER_BYTES, BULK_TYPE } from "./frame.js";
import { type BulkHeader, readBulkHeader, readCredit } from "./read-header.js";
import { NEW_STREAM, type StreamEvent, type StreamState, stepStream } from "./stream.js";

export type BulkEvent =
  | { readonly kind: "open"; readonly stream: number }
  /** A view of what was pushed: copy it to keep it. One frame may come in several pieces. */
  | { readonly kind: "data"; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: "window"; readonly stream: number; readonly credit: number }
  | { readonly kind: "fin"; readonly stream: number }
  /** `answer`: the peer expects RST in return. */
  | { readonly kind: "rst"; readonly stream: number; readonly answer: boolean };

/** The opener numbers streams 1, 2, 3…; its peer may only use what was opened. */
export type BulkRole = "opener" | "acceptor";

/**
 * All streams of one channel, without I/O: bytes in, events out, and permission for each frame
 * that goes out. Deterministic, and bounded: 9 bytes of frame and MAX_STREAMS small records.
 */
export class BulkMux {
  readonly #role: BulkRole;
  readonly #streams = new Map<number, StreamState>();
  #lastOpened = 0;
  #violation: Violation | null = null;

  /** A header, or the number after it, while it is incomplete. */
  readonly #partial = Buffer.alloc(BULK_HEADER_BYTES);
  #partialLength = 0;
  #header: BulkHeader | null = null;
  /** Bytes of the current frame that are still to come after its header. */
  #rest = 0;
  #discarding = false;

  constructor(role: BulkRole) {
    this.#role = role;
  }

  get violation(): Violation | null {
    return this.#violation;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  wasOpened(stream: number): boolean {
    return stream <= this.#lastOpened;
  }

  /** Reads bytes from the peer. Events before a violation are still given. */
  push(bytes: Uint8Array): readonly BulkEvent[] {
    const events: BulkEvent[] = [];
    try {
      for (let at = 0; at < bytes.length && this.#violation === null; ) {
        at += this.#take(bytes.subarray(at), events);
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#violation = { code: error.code, detail: error.message };
    }
    return events;
  }

  /** The channel closed: a frame that was begun is a violation. */
  end(): Violation | null {
    if (this.#violation === null && (this.#partialLength > 0 || this.#header !== null)) {
      this.#violation = { code: "truncated", detail: "a frame was begun" };
    }
    return this.#violation;
  }

  /** Number of the stream that OPEN is to be sent for. @throws WireError too-many-streams */
  open(): number {
    if (this.#role !== "opener") throw violated("open-refused", "this side can't open streams");
    if (this.#streams.size >= MAX_STREAMS) throw violated("too-many-streams", `${MAX_STREAMS}`);
    this.#lastOpened += 1;
    this.#streams.set(this.#lastOpened, NEW_STREAM);
    return this.#lastOpened;
  }

  sendCredit(stream: number): number {
    return this.#streams.get(stream)?.sendCredit ?? 0;
  }

  /** Records a frame that is about to be sent; false when its stream is over. @throws WireError */
  send(
    stream: number,
    event: Extract<StreamEvent, { kind: "sendData" | "sendFin" | "sendRst" | "grant" }>,
  ): boolean {
    const state = this.#streams.get(stream);
    if (state === undefined) return false;
    this.#store(stream, stepStream(state, event).state);
    return true;
  }

  #take(bytes: Uint8Array, events: BulkEvent[]): number {
    if (this.#header === null) {
      const piece = bytes.subarray(0, BULK_HEADER_BYTES - this.#partialLength);
      this.#partial.set(piece, this.#partialLength);
      this.#partialLength += piece.length;
      if (this.#partialLength === BULK_HEADER_BYTES) this.#begin(events);
      return piece.length;
    }
    const piece = bytes.subarray(0, this.#rest);
    const { type, stream } = this.#header;
    if (type !== BULK_TYPE.DATA) {
      this.#partial.set(piece, this.#partialLength);
      this.#partialLength += piece.length;
    } else if (!this.#discarding) {
      events.push({ kind: "data", stream, bytes: piece });
    }
    this.#rest -= piece.length;
    if (this.#rest === 0) {
      if (type !== BULK_TYPE.DATA) this.#numbered(this.#header, events);
      this.#header = null;
      this.#partialLength = 0;
    }
    return piece.length;
  }

  #begin(events: BulkEvent[]): void {
    const header = readBulkHeader(this.#partial);
    this.#partialLength = 0;
    const { type, stream, length } = header;
    switch (type) {
      case BULK_TYPE.OPEN:
        this.#accept(stream);
        events.push({ kind: "open", stream });
        return;
      case BULK_TYPE.FIN:
        if (this.#step(stream, { kind: "fin" }) === "deliver") events.push({ kind: "fin", stream });
        return;
      case BULK_TYPE.DATA:
        this.#discarding = this.#step(stream, { kind: "data", length }) === "discard";
        break;
      case BULK_TYPE.WINDOW:
      case BULK_TYPE.RST:
        this.#known(stream);
        break;
    }
    this.#header = header;
    this.#rest = length;
  }

  #numbered({ type, stream }: BulkHeader, events: BulkEvent[]): void {
    const credit = type === BULK_TYPE.WINDOW ? readCredit(this.#partial) : 0;
    // Under way while this side ended the stream: neither needs an answer any more.
    if (!this.#streams.has(stream)) return;
    if (type === BULK_TYPE.WINDOW) {
      if (this.#step(stream, { kind: "window", credit }) === "deliver") {
        events.push({ kind: "window", stream, credit });
      }
      return;
    }
    const answer = this.#step(stream, { kind: "rst" }) === "answer-rst";
    events.push({ kind: "rst", stream, answer });
  }

  #accept(stream: number): void {
    if (this.#role === "opener") throw violated("open-refused", `OPEN of stream ${stream}`);
    if (stream !== this.#lastOpened + 1) {
      throw violated("stream-order", `OPEN of stream ${stream} after ${this.#lastOpened}`);
    }
    if (this.#streams.size >= MAX_STREAMS) throw violated("too-many-streams", `${MAX_STREAMS}`);
    this.#lastOpened = stream;
    this.#streams.set(stream, NEW_STREAM);
  }

  #known(stream: number): void {
    if (stream > this.#lastOpened) throw violated("unknown-stream", `stream ${stream}`);
  }

  #step(stream: number, event: StreamEvent): "deliver" | "discard" | "answer-rst" {
    const state = this.#streams.get(stream);
    if (state === undefined) {
      this.#known(stream);
      throw violated("after-fin", `${event.kind} on stream ${stream}, which is over`);
    }
    const step = stepStream(state, event);
    this.#store(stream, step.state);
    return step.effect;
  }

  #store(stream: number, state: StreamState | null): void {
    if (state === null) this.#streams.delete(stream);
    else this.#streams.set(stream, state);
  }
}
