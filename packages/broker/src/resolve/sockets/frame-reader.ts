/** RFC 1035 §4.2.2: each message over TCP follows its length in two bytes. */
export const LENGTH_BYTES = 2;

export type FrameStep =
  | { readonly kind: "more" }
  | { readonly kind: "message"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long" };

export const frame = (message: Uint8Array): Uint8Array =>
  Uint8Array.of(message.length >> 8, message.length & 0xff, ...message);

/**
 * Reads the first message of a connection, in whatever pieces it comes, into `maxBytes` at most.
 * What follows it is never looked at: one question has one answer (RFC 5936 transfers excepted,
 * which nobody asks for here).
 */
export const createFrameReader = (maxBytes: number): { push(bytes: Uint8Array): FrameStep } => {
  const buffer = new Uint8Array(LENGTH_BYTES + maxBytes);
  let held = 0;
  return {
    push: (bytes) => {
      const taken = bytes.subarray(0, buffer.length - held);
      buffer.set(taken, held);
      held += taken.length;
      if (held < LENGTH_BYTES) return { kind: "more" };
      const length = ((buffer[0] ?? 0) << 8) | (buffer[1] ?? 0);
      if (length > maxBytes) return { kind: "too-long" };
      if (held < LENGTH_BYTES + length) return { kind: "more" };
      return { kind: "message", bytes: buffer.subarray(LENGTH_BYTES, LENGTH_BYTES + length) };
    },
  };
};
