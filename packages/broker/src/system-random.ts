import { randomFillSync } from "node:crypto";

/** One call of the generator costs more than a whole question otherwise does. */
const BLOCK_BYTES = 4_096;

const block = Buffer.alloc(BLOCK_BYTES);
let used = BLOCK_BYTES;

/** So many bytes of the system's generator; each is given out once. */
export const systemRandom = (bytes: number): Uint8Array => {
  if (bytes > BLOCK_BYTES) return randomFillSync(new Uint8Array(bytes));
  if (used + bytes > BLOCK_BYTES) {
    randomFillSync(block);
    used = 0;
  }
  const drawn = Uint8Array.from(block.subarray(used, used + bytes));
  block.fill(0, used, used + bytes);
  used += bytes;
  return drawn;
};
