import type { Observed, Oracle } from "./oracle.js";

const PARTS = ["state", "forwardSends", "rollbackSends", "reservation", "appliance"] as const;

/** Guard: each part of the oracle that doesn't hold, such as `forwardSends: 2, not 1`. */
export const departures = (observed: Observed, oracle: Oracle): readonly string[] =>
  PARTS.filter((part) => observed[part] !== oracle[part]).map(
    (part) => `${part}: ${observed[part]}, not ${oracle[part]}`,
  );
