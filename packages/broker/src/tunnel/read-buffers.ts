import type { OnReadOpts, Socket } from "node:net";

/** What a socket holds that has nothing to say; enough for most of what isn't a transfer. */
const SMALL_BYTES = 1_024;

/** As much as Node reads at once. */
const LARGE_BYTES = 64 * 1024;

/** After a read this short the transfer is over, or so slow that it doesn't matter. */
const STAY_LARGE_BYTES = LARGE_BYTES / 4;

const MAX_SPARE = 32;

const spare: Buffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();

const takeLarge = (): Buffer => {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
  lent.add(buffer.buffer);
  return buffer;
};

/**
 * Buffers that a socket reads into, instead of a new one for each read: a fast transfer would
 * otherwise spend more on fresh pages than on its bytes. What is read is `push`ed as ever.
 */
export const readBuffersOf = (socket: () => Pick<Socket, "push">): OnReadOpts => {
  let large = false;
  return {
    buffer: () => (large ? takeLarge() : Buffer.allocUnsafe(SMALL_BYTES)),
    callback: (length, buffer) => {
      large = large ? length >= STAY_LARGE_BYTES : length === buffer.length;
      return socket().push(buffer.subarray(0, length));
    },
  };
};

/**
 * Takes a chunk's buffer back once nobody needs its bytes any more. Others than those of
 * `readBuffersOf` are left alone, and so is one that was given back.
 */
export const giveBack = (chunk: Uint8Array): void => {
  if (!lent.delete(chunk.buffer) || spare.length >= MAX_SPARE) return;
  spare.push(Buffer.from(chunk.buffer));
};
