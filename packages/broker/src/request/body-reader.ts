import { createChunkedReader } from "./chunked.js";
import type { BodyStep, Framing } from "./model.js";

export interface BodyReader {
  /** The next bytes after the head. `rest` of `end` belongs to the next message. */
  push(bytes: Uint8Array): BodyStep;
  /** The connection ended: `end` where that is how the content ends, otherwise `refused`. */
  finish(): BodyStep;
}

const NOTHING = new Uint8Array(0);
const END: BodyStep = { kind: "end", data: [], rest: NOTHING };
const REFUSED: BodyStep = { kind: "refused", reason: "FRAMING" };

/**
 * The content of one message. Push the head's `rest` first, even when it is empty: content of no
 * bytes ends at that push. Holds no content, so the pieces are the caller's own bytes.
 */
export const createBodyReader = (framing: Framing): BodyReader => {
  switch (framing.kind) {
    case "none":
      return createLengthReader(0);
    case "length":
      return createLengthReader(framing.bytes);
    case "chunked":
      return { push: createChunkedReader(), finish: () => REFUSED };
    case "until-close":
      return { push: (bytes) => ({ kind: "data", data: pieces(bytes) }), finish: () => END };
  }
};

const createLengthReader = (length: number): BodyReader => {
  let remaining = length;
  return {
    push: (bytes) => {
      const own = Math.min(remaining, bytes.length);
      remaining -= own;
      const data = pieces(bytes.subarray(0, own));
      return remaining === 0
        ? { kind: "end", data, rest: bytes.subarray(own) }
        : { kind: "data", data };
    },
    finish: () => (remaining === 0 ? END : REFUSED),
  };
};

const pieces = (bytes: Uint8Array): readonly Uint8Array[] => (bytes.length === 0 ? [] : [bytes]);
