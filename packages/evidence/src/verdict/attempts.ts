import type { Verdict } from "../gates/gate.js";
import { type Attempt, attemptReader } from "../journal/attempts.js";
import { array, integer, object, type Shape } from "../schema/reader.js";

/** The newest are listed; all are counted, so that a long history can't push a FAIL out of sight. */
const MAX_LISTED = 256;

export const earlierAttemptsReader = object({
  total: integer(0),
  counts: object({
    PASS: integer(0),
    FAIL: integer(0),
    INVALID: integer(0),
    INCOMPLETE: integer(0),
    UNCERTAIN: integer(0),
    /** Sealed, with no verdict entered: still running, crashed, or given up. */
    none: integer(0),
  }),
  newest: array(attemptReader, MAX_LISTED),
});
export type EarlierAttempts = Shape<typeof earlierAttemptsReader>;

export const summariseAttempts = (attempts: readonly Attempt[]): EarlierAttempts => {
  const count = (verdict: Verdict | null): number =>
    attempts.filter((attempt) => attempt.verdict === verdict).length;
  return {
    total: attempts.length,
    counts: {
      PASS: count("PASS"),
      FAIL: count("FAIL"),
      INVALID: count("INVALID"),
      INCOMPLETE: count("INCOMPLETE"),
      UNCERTAIN: count("UNCERTAIN"),
      none: count(null),
    },
    newest: attempts.slice(-MAX_LISTED),
  };
};
