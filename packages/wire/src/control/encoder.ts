import { digestOf } from "@drydock/evidence";
import { MAX_HEADER_BYTES, WIRE_VERSION } from "../limits.js";
import { violated } from "../violation.js";
import {
  type Binding,
  type Bodies,
  EMPTY_DIGEST,
  encodeFrame,
  type Header,
  NO_PREVIOUS,
  PREFIX_BYTES,
  readHeader,
  readMessage,
} from "./frame.js";

const NOTHING = new Uint8Array(0);

export interface EncodedFrame {
  readonly seq: number;
  readonly bytes: Buffer;
}

/**
 * Numbers and chains the frames of one direction. What it writes it reads back first, so that a
 * caller's mistake shows here and not as a violation on the other side.
 */
export class ControlEncoder<M extends { readonly type: string }> {
  readonly #bodies: Bodies;
  readonly #binding: Binding;
  #seq = 0;
  #previous = NO_PREVIOUS;

  constructor(bodies: Bodies, binding: Binding) {
    this.#bodies = bodies;
    this.#binding = binding;
  }

  /**
   * @param deadlineNs instant after which the receiver refuses the frame, ns since 1970 as text
   * @throws WireError when the message breaks its own shape or a limit
   */
  encode(message: M, deadlineNs: string, payload: Uint8Array = NOTHING): EncodedFrame {
    const { type, ...body } = message;
    const header = {
      ...this.#binding,
      v: WIRE_VERSION,
      seq: this.#seq,
      deadline: deadlineNs,
      type,
      body: body as Header["body"],
      payload: {
        length: payload.length,
        digest: payload.length === 0 ? EMPTY_DIGEST : digestOf(payload),
      },
      prev: this.#previous,
    };
    const bytes = encodeFrame(header, payload);
    const end = bytes.length - payload.length;
    if (end - PREFIX_BYTES > MAX_HEADER_BYTES) {
      throw violated("frame-oversize", `header of ${type} is ${end - PREFIX_BYTES} bytes`);
    }
    readMessage<M>(this.#bodies, readHeader(bytes.subarray(PREFIX_BYTES, end)));
    this.#previous = digestOf(bytes);
    this.#seq += 1;
    return { seq: header.seq, bytes };
  }
}
