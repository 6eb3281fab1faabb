/**
 * The 8-torsion of edwards25519 in every encoding that decoders accept, non-canonical ones
 * included. With such a public key a fixed signature verifies for many messages (node:crypto does
 * accept them), so whoever may name a key could name one that "signed" everything.
 */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  // Little-endian y without the sign bit of x.
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  // p − 1, p and p + 1.
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** @param publicKey 32 bytes as in RFC 8032 §5.1.2. */
export const isSmallOrder = (publicKey: Uint8Array): boolean => {
  const y = Buffer.from(publicKey);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.has(y.toString("hex"));
};
