import { storeFault } from "./fault.js";
import type { StoreHead } from "./head.js";
import type { Statements } from "./statements.js";

/**
 * There are as many rows of each kind as the head says, which has it under its MAC: a row that is
 * gone has no MAC to be wrong.
 *
 * @throws DrydockError STORE_INTEGRITY
 */
export const requireMatchingCounts = (statements: Statements, head: StoreHead): void => {
  const counts = statements.counts();
  const states = new Map(statements.states().map(({ state, contracts }) => [state, contracts]));
  const same =
    counts?.reservations === head.reservations &&
    counts.cooldowns === head.cooldowns &&
    counts.nonces === head.nonces &&
    Object.entries(head.states).every(([state, wanted]) => (states.get(state) ?? 0) === wanted) &&
    [...states.keys()].every((state) => Object.hasOwn(head.states, state));
  if (!same) throw storeFault("STORE_INTEGRITY", "rows are missing, or there are more");
};
