import type { HexDigest, Identifier, Millis } from "../contract/model.js";

/** What an owner signs to let exactly one contract be executed. */
export interface ConfirmationEvidence {
  readonly authorityId: Identifier;
  /** Such as Ed25519. */
  readonly algorithm: Identifier;
  /** An authority uses it once, for whatever. */
  readonly nonce: Identifier;
  readonly contractId: Identifier;
  readonly operationId: Identifier;
  readonly targetIdentityDigest: HexDigest;
  readonly targetFingerprint: HexDigest;
  readonly intentDigest: HexDigest;
  readonly issuedAt: Millis;
  /** The contract's. */
  readonly expiresAt: Millis;
  /** Up to 64 KiB. Isn't kept. */
  readonly proof: Uint8Array;
}
