import type { ConfirmationEvidence, EvidenceVerifier } from "../confirmation/index.js";
import type {
  Cause,
  ContractTerms,
  HexDigest,
  Identifier,
  Millis,
  RecoveryContract,
  SeenContract,
  TransitionRecord,
} from "../contract/index.js";
import type { ReconciliationEvidence } from "../reconciliation/index.js";

/**
 * Contracts, who holds which target, and what happened. Every call is one durable transaction, and
 * returns when it is: whoever got an EXECUTING contract back from `acquireExecuting` is the only one
 * that ever will, and may send once. A call that takes a `seen` contract is refused when the store
 * has another version of it (CONTRACT_STALE).
 *
 * All throw DrydockError with an `AcceptanceCode`. CONTRACT_… and RATE_… say that nothing changed;
 * STORE_… that the store can't be trusted or used, and STORE_COMMITTED_UNANCHORED alone among them
 * that the change is durable.
 */
export interface ContractStore {
  /** The one clock: whoever judges a time of this store's contracts reads it here. */
  now(): Millis;

  /** PREPARING, version 1. The rate policy is asked first, and a refusal leaves no trace. */
  create(terms: ContractTerms): RecoveryContract;
  /** @throws CONTRACT_UNKNOWN */
  load(contractId: Identifier): RecoveryContract;

  /** PREPARING → PREPARED. */
  markPrepared(seen: SeenContract): RecoveryContract;
  /** PREPARED stays PREPARED, confirmed. The evidence is accepted once; its nonce never again. */
  confirm(
    seen: SeenContract,
    evidence: ConfirmationEvidence,
    verifier: EvidenceVerifier | null,
  ): RecoveryContract;
  /**
   * PREPARED → EXECUTING and the target reserved: confirmed, unexpired, nobody else in flight.
   *
   * @throws STORE_OCCUPIED while another process, which is alive, works on this store's contracts;
   * so do `beginRollback` and `recoverInterrupted`. A process keeps the place until it closes.
   */
  acquireExecuting(seen: SeenContract): RecoveryContract;
  /** EXECUTING → VERIFIED, sealing what the target is now; the locator has to be the contract's. */
  sealVerified(
    seen: SeenContract,
    observed: { readonly fingerprint: HexDigest; readonly locator: number },
  ): RecoveryContract;
  /** PREPARING, PREPARED or EXECUTING → FAILED: it is proven that the appliance didn't change. */
  fail(seen: SeenContract, cause: Cause): RecoveryContract;
  /** EXECUTING or ROLLING_BACK → RECONCILIATION: nobody knows. */
  enterReconciliation(seen: SeenContract, cause: Cause): RecoveryContract;
  /** VERIFIED → ROLLING_BACK and the target reserved. Expiry has no say. */
  beginRollback(seen: SeenContract): RecoveryContract;
  /** ROLLING_BACK → ROLLED_BACK; the locator has to be the contract's. */
  sealRolledBack(seen: SeenContract, observed: { readonly locator: number }): RecoveryContract;
  /** ROLLING_BACK → ROLLBACK_FAILED: proven, and the target stays locked. */
  failRollback(seen: SeenContract, cause: Cause): RecoveryContract;
  /** The only way out of RECONCILIATION. */
  resolve(
    seen: SeenContract,
    evidence: ReconciliationEvidence,
    verifier: EvidenceVerifier | null,
  ): RecoveryContract;

  /** PREPARING or PREPARED whose time is over → EXPIRED. */
  expire(seen: SeenContract): RecoveryContract;
  /** Does so with all of them; each is a transaction of its own. */
  expireOverdue(): readonly RecoveryContract[];
  /**
   * EXECUTING and ROLLING_BACK → RECONCILIATION, since whoever was at work is gone: another process
   * can't be, and in this one it is the caller's to know.
   */
  recoverInterrupted(): readonly RecoveryContract[];

  reservationOf(targetIdentityDigest: HexDigest): Reservation | null;
  /** Oldest first. */
  audit(contractId: Identifier): readonly AuditEvent[];
  contracts(): readonly RecoveryContract[];
  /** Reads and checks every row. @throws STORE_INTEGRITY, STORE_ROLLED_BACK */
  verify(): void;
  close(): void;
}

export interface Reservation {
  readonly targetIdentityDigest: HexDigest;
  readonly contractId: Identifier;
}

export interface AuditEvent extends TransitionRecord {
  /** Place in the whole store's history, from 1. */
  readonly sequence: number;
  readonly eventId: Identifier;
}

/**
 * Called in this order by every write, `create` included. Throwing, or dying, in the first three
 * leaves what was there before; after the last the change is durable, whatever its caller sees.
 */
export interface FaultHooks {
  readonly beforeTransaction?: (write: string) => void;
  readonly afterRecordWrite?: (write: string) => void;
  readonly beforeCommit?: (write: string) => void;
  readonly afterCommit?: (write: string) => void;
}

/**
 * Somewhere that whoever could put an old copy of the store's file back can't reach. It remembers
 * how far the store had come.
 */
export interface RollbackAnchor {
  /** Null when this store was never anchored. */
  read(): AnchorPoint | null;
  /** Remembers `point` durably; one that isn't further than what is there changes nothing. */
  advance(point: AnchorPoint): void;
}

export interface AnchorPoint {
  readonly storeId: Identifier;
  /** Writes so far. */
  readonly generation: number;
  /** Of the history up to there. */
  readonly head: HexDigest;
}
