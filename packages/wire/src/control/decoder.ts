import { createHash } from "node:crypto";
import { digestOf } from "@drydock/evidence";
import { MAX_CONTROL_FRAMES, MAX_HEADER_BYTES } from "../limits.js";
import { type Violation, violated, WireError } from "../violation.js";
import { acceptHeader } from "./accept-header.js";
import {
  type Binding,
  type Bodies,
  type Header,
  NO_PREVIOUS,
  PREFIX_BYTES,
  readHeader,
  readMessage,
} from "./frame.js";

export interface ControlFrame<M> {
  readonly seq: number;
  readonly binding: Binding;
  /** ns since 1970 as text */
  readonly deadline: string;
  readonly message: M;
  readonly payload: Uint8Array;
}

export interface Decoded<M> {
  readonly frames: readonly ControlFrame<M>[];
  /** Set once and for all: nothing after it is read. */
  readonly violation: Violation | null;
}

/**
 * Frames of one direction. Deterministic: the same bytes in any segmentation give the same
 * frames and the same violation. Memory is bounded by one frame.
 */
export class ControlDecoder<M extends { readonly type: string }> {
  readonly #bodies: Bodies;
  #binding: Binding | null;
  #seq = 0;
  #previous = NO_PREVIOUS;
  #violation: Violation | null = null;

  #buffer = Buffer.alloc(0);
  #length = 0;
  #header: Header | null = null;
  /** Bytes wanted before the next step can be taken. */
  #wanted = PREFIX_BYTES;
  #headerEnd = 0;

  /** @param binding null to take the first frame's: a guest learns from it whose it is. */
  constructor(bodies: Bodies, binding: Binding | null) {
    this.#bodies = bodies;
    this.#binding = binding;
  }

  /** @param nowNs receiver's clock, or null while it has none (a guest before `hello`) */
  push(bytes: Uint8Array, nowNs: bigint | null): Decoded<M> {
    const frames: ControlFrame<M>[] = [];
    let at = 0;
    try {
      while (this.#violation === null) {
        const missing = this.#wanted - this.#length;
        if (missing > 0) {
          if (at >= bytes.length) break;
          const piece = bytes.subarray(at, at + missing);
          this.#append(piece);
          at += piece.length;
          continue;
        }
        const frame = this.#advance(nowNs);
        if (frame !== null) frames.push(frame);
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#violation = { code: error.code, detail: error.message };
      this.#buffer = Buffer.alloc(0);
    }
    return { frames, violation: this.#violation };
  }

  /** The channel closed: a frame that was begun is a violation. */
  end(): Violation | null {
    if (this.#violation === null && this.#length > 0) {
      this.#violation = { code: "truncated", detail: `${this.#length} bytes of a frame` };
    }
    return this.#violation;
  }

  #advance(nowNs: bigint | null): ControlFrame<M> | null {
    if (this.#headerEnd === 0) {
      const length = this.#buffer.readUInt32BE(0);
      if (length === 0 || length > MAX_HEADER_BYTES) {
        throw violated("frame-oversize", `header of ${length} bytes, at most ${MAX_HEADER_BYTES}`);
      }
      this.#headerEnd = PREFIX_BYTES + length;
      this.#wanted = this.#headerEnd;
      return null;
    }
    if (this.#header === null) {
      const header = readHeader(this.#buffer.subarray(PREFIX_BYTES, this.#headerEnd));
      acceptHeader(header, {
        binding: this.#binding,
        seq: this.#seq,
        previous: this.#previous,
        nowNs,
      });
      this.#header = header;
      this.#wanted = this.#headerEnd + header.payload.length;
      return null;
    }
    return this.#complete(this.#header);
  }

  #complete(header: Header): ControlFrame<M> {
    if (this.#seq >= MAX_CONTROL_FRAMES) {
      throw violated("frame-count", `more than ${MAX_CONTROL_FRAMES} frames`);
    }
    const payload = Buffer.from(this.#buffer.subarray(this.#headerEnd, this.#length));
    if (digestOf(payload) !== header.payload.digest) {
      throw violated("payload-digest", `frame ${header.seq}`);
    }
    const message = readMessage<M>(this.#bodies, header);
    const binding = { run: header.run, lease: header.lease, generation: header.generation };
    this.#previous = `sha256:${createHash("sha256")
      .update(this.#buffer.subarray(0, this.#length))
      .digest("hex")}`;
    this.#binding ??= binding;
    this.#seq += 1;
    this.#length = 0;
    this.#header = null;
    this.#headerEnd = 0;
    this.#wanted = PREFIX_BYTES;
    return { seq: header.seq, binding, deadline: header.deadline, message, payload };
  }

  /** Grows by doubling, so that a peer who sends single bytes doesn't make this quadratic. */
  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const size = Math.min(Math.max(length, 2 * this.#buffer.length, 1024), this.#wanted + 1024);
      const grown = Buffer.alloc(Math.max(size, length));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }
}
