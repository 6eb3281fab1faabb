import type { AcceptanceCode } from "../codes.js";
import { RATE_LIMITS } from "./limits.js";
import type { RateStanding } from "./standing.js";

/** Why nothing may be sent to this target now, forward or back; null when it may. */
export const refuseStart = (standing: RateStanding): AcceptanceCode | null => {
  if (standing.holder !== null) return "TARGET_RESERVED";
  if (standing.inFlight >= RATE_LIMITS.inFlight) return "RATE_IN_FLIGHT";
  return null;
};
