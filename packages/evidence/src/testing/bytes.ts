export const utf8 = (text: string): Buffer => Buffer.from(text, "utf8");

/** A copy with one byte changed by XOR. */
export const flip = (bytes: Uint8Array, offset: number, mask: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ mask;
  return copy;
};
