import type { AcceptanceCode } from "../codes.js";
import type { Millis } from "../contract/model.js";
import { RATE_LIMITS } from "./limits.js";
import type { RateStanding } from "./standing.js";

/** Why no contract may be prepared for this target now; null when one may. */
export const refusePreparation = (standing: RateStanding, at: Millis): AcceptanceCode | null => {
  if (standing.unresolved >= RATE_LIMITS.unresolved) return "RATE_LOCKOUT";
  if (standing.outstanding >= RATE_LIMITS.outstandingPerTarget) return "RATE_OUTSTANDING";
  if (standing.cooledAt !== null && at < standing.cooledAt) return "RATE_COOLDOWN";
  return null;
};
