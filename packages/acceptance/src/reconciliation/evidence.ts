import type { ReconciliationOutcome } from "../contract/event.js";
import type { HexDigest, Identifier, Millis } from "../contract/model.js";

/** What somebody signs who looked at the appliance and knows now what it did. */
export interface ReconciliationEvidence {
  readonly authorityId: Identifier;
  readonly algorithm: Identifier;
  /** An authority uses it once, for whatever. */
  readonly nonce: Identifier;
  readonly contractId: Identifier;
  readonly operationId: Identifier;
  /** Of the contract in RECONCILIATION that was looked into. */
  readonly stateVersion: number;
  readonly outcome: ReconciliationOutcome;
  /** Of the target as it is now: for confirmed_applied, otherwise null. */
  readonly fingerprint: HexDigest | null;
  /** For confirmed_applied and confirmed_rollback_applied, otherwise null. */
  readonly locator: number | null;
  readonly issuedAt: Millis;
  /** Up to 64 KiB. Isn't kept. */
  readonly proof: Uint8Array;
}
