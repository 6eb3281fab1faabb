import { holdsTarget, type RecoveryContract } from "../contract/index.js";
import { storeFault } from "./fault.js";
import type { Reservation } from "./port.js";

/**
 * Exactly the contracts whose state holds a target have a reservation, and each has its own.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const requireMatchingLocks = (
  contracts: readonly RecoveryContract[],
  reservations: readonly Reservation[],
): void => {
  const wanted = contracts.filter(({ state }) => holdsTarget(state)).map(lockOf);
  const found = reservations.map(lockOf);
  if (wanted.sort().join() !== found.sort().join()) {
    throw storeFault("STORE_INTEGRITY", "its reservations aren't those of its contracts");
  }
};

const lockOf = ({ contractId, targetIdentityDigest }: Reservation): string =>
  `${contractId} ${targetIdentityDigest}`;
