import type { ArtifactRole } from "../contract/model.js";

export const NONCE_BYTES = 12;

/** Keys are fresh, so there is never a second epoch of one. */
const EPOCH = 0;

const COUNTERS: Readonly<Record<ArtifactRole, bigint>> = { identity: 1n, intent: 2n, snapshot: 3n };

/**
 * Four bytes of epoch and eight of a counter. It counts within one contract: unique under a key
 * because no two contracts share one.
 */
export const nonceOf = (role: ArtifactRole): Buffer => {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(EPOCH, 0);
  nonce.writeBigUInt64BE(COUNTERS[role], 4);
  return nonce;
};
