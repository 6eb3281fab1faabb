/**
 * Provisional, and the same everywhere: a rehearsal that needs to go faster takes a fresh store and
 * moves its clock.
 */
export const RATE_LIMITS = {
  /** EXECUTING and ROLLING_BACK together: the first capability needs no throughput. */
  inFlight: 1,
  /** PREPARING and PREPARED of one target: what waits has to be seen to be one thing. */
  outstandingPerTarget: 1,
  /** After anything was done to a target, or proven not to be. */
  cooldownMillis: 60_000,
  /** One unexplained outcome may be a lost packet; three are trouble that a person looks into. */
  unresolved: 3,
} as const;
