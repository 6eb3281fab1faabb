import fc from "fast-check";

/** Cuts `bytes` at the given fractions: one of the many ways a socket may deliver them. */
export const segments = (bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] => {
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length];
  let from = 0;
  return ends
    .sort((a, b) => a - b)
    .map((end) => {
      const piece = bytes.subarray(from, end);
      from = end;
      return piece;
    });
};

export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

/** One change of a byte sequence, as an attacker or a fault would make it. */
export type Mutation =
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "insert"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: "delete"; readonly at: number; readonly length: number }
  | { readonly kind: "repeat"; readonly at: number; readonly length: number };

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const length = fc.integer({ min: 1, max: 64 });

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({
    kind: fc.constant("insert" as const),
    at: place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
  }),
  fc.record({ kind: fc.constant("delete" as const), at: place, length }),
  fc.record({ kind: fc.constant("repeat" as const), at: place, length }),
);

export const mutate = (bytes: Uint8Array, change: Mutation): Uint8Array => {
  const at = Math.floor(change.at * bytes.length);
  switch (change.kind) {
    case "flip": {
      const copy = Uint8Array.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ (1 << change.bit);
      return copy;
    }
    case "insert":
      return Buffer.concat([bytes.subarray(0, at), change.bytes, bytes.subarray(at)]);
    case "delete":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + change.length)]);
    case "repeat":
      return Buffer.concat([bytes.subarray(0, at + change.length), bytes.subarray(at)]);
  }
};
