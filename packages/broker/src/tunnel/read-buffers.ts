import type { OnReadOpts, Socket } from "node:net";

/**
 * Sizes of a socket's next read. The first is enough for most of what isn't a transfer; the last is
 * about what the kernel has ready of a fast one.
 */
const SIZES = [1_024, 64 * 1024, 256 * 1024] as const;

/** What idle sockets may hold of the large ones; beyond it a socket reads less at once. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
const FRUGAL_BYTES = 16 * 1024;

/** Of each size, to be used again. */
const MAX_SPARE = 64;

type Step = 0 | 1 | 2;

const spare = new Map<number, Buffer[]>(SIZES.map((size) => [size, []]));
const lent = new WeakSet<ArrayBufferLike>();
let heldBytes = 0;

const take = (step: Step): Buffer => {
  const size = SIZES[step];
  // Slices of a slab that many share.
  if (step === 0) return Buffer.allocUnsafe(size);
  if (heldBytes + size > MAX_HELD_BYTES) return Buffer.allocUnsafeSlow(FRUGAL_BYTES);
  const buffer = spare.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  lent.add(buffer.buffer);
  return buffer;
};

/** A full buffer asks for a larger one, and one that was hardly used for a smaller one. */
const stepAfter = (step: Step, read: number, size: number): Step => {
  if (read === size) return step === 0 ? 1 : 2;
  if (step === 2 && read < SIZES[1]) return 1;
  return step === 1 && read < FRUGAL_BYTES ? 0 : step;
};

/**
 * Buffers that a socket reads into, instead of a new one for each read: a fast transfer would
 * otherwise spend more on fresh pages than on its bytes. What is read is `push`ed as ever. Call
 * `release` when the socket is closed.
 */
export const readBuffersOf = (
  socket: () => Pick<Socket, "push">,
): { readonly onread: OnReadOpts; readonly release: () => void } => {
  let step: Step = 0;
  let held: Buffer | null = null;
  const letGo = (): void => {
    heldBytes -= held?.length ?? 0;
    held = null;
  };
  return {
    onread: {
      buffer: () => {
        const buffer = take(step);
        held = buffer;
        heldBytes += buffer.length;
        return buffer;
      },
      callback: (length, buffer) => {
        letGo();
        step = stepAfter(step, length, buffer.length);
        return socket().push(buffer.subarray(0, length));
      },
    },
    release: () => {
      if (held !== null) giveBack(held);
      letGo();
    },
  };
};

/**
 * Takes a chunk's buffer back once nobody needs its bytes any more. Others than those of
 * `readBuffersOf` are left alone, and so is one that was given back.
 */
export const giveBack = (chunk: Uint8Array): void => {
  if (!lent.delete(chunk.buffer)) return;
  const others = spare.get(chunk.buffer.byteLength);
  if (others !== undefined && others.length < MAX_SPARE) others.push(Buffer.from(chunk.buffer));
};
