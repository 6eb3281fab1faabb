import type { Resources } from "../resources/vector.js";

/**
 * PROPOSED → RESERVED → DISPATCHED → SETTLED is the straight way. RELEASED ends a run that never
 * had a body. HELD keeps the whole reservation because nobody knows whether the body is gone;
 * only seeing that it is gone leads on to SETTLED.
 */
export const RUN_STATES = [
  "PROPOSED",
  "RESERVED",
  "DISPATCHED",
  "SETTLED",
  "HELD",
  "RELEASED",
] as const;
export type RunState = (typeof RUN_STATES)[number];

export const VERDICTS = ["PASS", "FAIL", "INVALID", "INCOMPLETE", "UNCERTAIN"] as const;
export type RunVerdict = (typeof VERDICTS)[number];

export type RunOutcome =
  | { readonly kind: "verdict"; readonly verdict: RunVerdict }
  /** Whoever owned the run is gone; `reason` is a code, such as REAPED or OWNER_GONE. */
  | { readonly kind: "incomplete"; readonly reason: string }
  /** The run never got as far as evidence; `code` says what was wrong. */
  | { readonly kind: "refused"; readonly code: string };

/** Enough to tell a living owner from a later process with the same pid, and from another boot. */
export interface OwnerWitness {
  readonly bootId: string;
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, in clock ticks since boot. */
  readonly startTicks: number;
}

/** The right to act for a run. An older generation, or a lapsed lease, may not dispatch. */
export interface Lease {
  readonly run: string;
  readonly generation: number;
  readonly holder: string;
  /** Milliseconds since the epoch; the lease is over at this instant, not after it. */
  readonly until: number;
}

export interface RunRow {
  readonly run: string;
  /** Idempotency key: one key is one run, for ever. */
  readonly key: string;
  /** Digest of what was asked under the key, so that a key can't be used for something else. */
  readonly request: string;
  /** Short words for a list, such as the command. */
  readonly title: string;
  /** Where the run's evidence directory is. */
  readonly evidence: string;
  readonly owner: OwnerWitness;
  readonly state: RunState;
  readonly lease: Lease;
  readonly reserved: Resources;
  /** What was measured at settlement; equal to `reserved` when it had to be assumed. */
  readonly used: Resources | null;
  /** The halt generation read while reserving. */
  readonly haltGeneration: number | null;
  /** Digest of the dispatch intent. */
  readonly intent: string | null;
  /** Why the reservation is held. */
  readonly holdReason: string | null;
  readonly outcome: RunOutcome | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const isOccupying = (state: RunState): boolean =>
  state === "RESERVED" || state === "DISPATCHED" || state === "HELD";

/** A row that may still change: it occupies something, or nobody has said how it ended. */
export const isOpen = (row: RunRow): boolean =>
  row.state === "PROPOSED" || isOccupying(row.state) || row.outcome === null;
