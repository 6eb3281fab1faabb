import type { HexDigest, Identifier, Millis } from "../contract/model.js";

/** What else is going on, as read in the same transaction as what it decides. */
export interface RateStanding {
  /** Contracts that are EXECUTING or ROLLING_BACK, whatever their target. */
  readonly inFlight: number;
  /** Contracts of this target that are PREPARING or PREPARED. */
  readonly outstanding: number;
  /** Contracts in RECONCILIATION, whatever their target. */
  readonly unresolved: number;
  /** When this target may be prepared for again; null when nothing was ever done to it. */
  readonly cooledAt: Millis | null;
  /** Who holds this target. */
  readonly holder: Identifier | null;
  readonly target: HexDigest;
}
