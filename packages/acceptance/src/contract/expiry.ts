import type { Millis, RecoveryContract } from "./model.js";

/**
 * Whether a contract's time is over: at the instant itself, not after it. Only what hasn't begun
 * expires; what has begun is finished or rolled back whatever the time.
 */
export const isOverdue = (
  contract: Pick<RecoveryContract, "state" | "expiresAt">,
  at: Millis,
): boolean =>
  (contract.state === "PREPARING" || contract.state === "PREPARED") && at >= contract.expiresAt;
