import type { Resources } from "./resources/vector.js";
import type { Lease, OwnerWitness, RunOutcome, RunRow } from "./rules/row.js";

export interface Proposal {
  readonly run: string;
  readonly key: string;
  /** `sha256:` digest of what is asked. */
  readonly request: string;
  readonly title: string;
  readonly evidence: string;
  readonly owner: OwnerWitness;
  readonly holder: string;
  /** How long the first lease lasts, in milliseconds. */
  readonly leaseMillis: number;
}

export type Proposed =
  | { readonly kind: "new"; readonly row: RunRow }
  /** The key was used before: this is that run, and the caller may not act for it. */
  | { readonly kind: "existing"; readonly row: RunRow };

/** The right under which a caller acts: taken from the lease. */
export type Actor = Pick<Lease, "run" | "generation">;

/**
 * What may be born, and what is held. Every method is one durable transaction; asking twice for
 * the same thing answers with what is there. All may throw a DrydockError with a `LedgerRefusal`
 * or a `LedgerFault` code; a fault means admission is shut, and there is no second store.
 */
export interface Ledger {
  propose(proposal: Proposal): Promise<Proposed>;
  /** Reads the halt state inside the transaction. */
  reserve(actor: Actor, resources: Resources): Promise<RunRow>;
  /** Commits that a body is about to be born. `intent` is the digest of what will be started. */
  intent(actor: Actor, intent: string): Promise<RunRow>;
  /** The body was seen to be gone. Using more than was reserved leads to HELD, not SETTLED. */
  settle(actor: Actor, used: Resources): Promise<RunRow>;
  /** Nobody knows whether the body is gone. */
  hold(actor: Actor, reason: string): Promise<RunRow>;
  /** No body was ever started. */
  release(actor: Actor): Promise<RunRow>;
  /** How the run ended, once. */
  conclude(actor: Actor, outcome: RunOutcome): Promise<RunRow>;
  renew(actor: Actor, leaseMillis: number): Promise<Lease>;
  /** Takes a lapsed run over under the next generation. */
  lease(run: string, holder: string, owner: OwnerWitness, leaseMillis: number): Promise<Lease>;
  /** For the reaper and for recovery; null when the run was never proposed. */
  markIncomplete(run: string, reason: string, body: { gone: boolean }): Promise<RunRow | null>;
  run(run: string): Promise<RunRow | null>;
  /** Newest first. */
  runs(filter?: RunFilter): Promise<readonly RunRow[]>;
  /**
   * Remembers that the halt state reached `generation` and lists the runs that are still open.
   * It waits for the writer's place: a reservation that read an older halt state is in the list,
   * and every later one sees the new state.
   */
  haltBarrier(generation: number): Promise<readonly RunRow[]>;
  audit(): Promise<LedgerAudit>;
  close(): void;
}

export interface RunFilter {
  /** Only runs that may still change. */
  readonly open?: boolean;
  /** At most this many; 1,000 unless given. */
  readonly limit?: number;
}

export interface LedgerAudit {
  readonly runs: number;
  readonly movements: number;
  readonly committed: Resources;
  /** Empty when the store is sound and the movements replay to exactly these rows. */
  readonly findings: readonly string[];
}

export type LedgerFault =
  | "LEDGER_MISSING"
  | "LEDGER_BUSY"
  | "LEDGER_CORRUPT"
  | "LEDGER_SCHEMA"
  | "LEDGER_FULL"
  | "LEDGER_UNWRITABLE"
  | "LEDGER_DESCRIPTORS";
