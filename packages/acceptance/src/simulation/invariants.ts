import {
  type Identifier,
  mayTransition,
  parseContract,
  type RecoveryContract,
} from "../contract/index.js";
import type { SimulatedAppliance } from "./appliance.js";
import type { SimulatedStore } from "./memory-store.js";
import { Violation } from "./violation.js";

/** States in which a target may have been touched and nobody has said what became of it. */
const UNSETTLED: readonly RecoveryContract["state"][] = [
  "EXECUTING",
  "ROLLING_BACK",
  "RECONCILIATION",
  "ROLLBACK_FAILED",
];

/** States that say that nothing was done to the appliance. */
const UNTOUCHED: readonly RecoveryContract["state"][] = [
  "PREPARING",
  "PREPARED",
  "EXPIRED",
  "FAILED",
];

/**
 * Looks at everything after each step. It has its own list of states, so that it doesn't believe
 * what the rules it watches believe.
 */
export class Watch {
  readonly #before = new Map<Identifier, RecoveryContract>();

  /** @param signed whether what happened last was an owner's true word. */
  look(store: SimulatedStore, appliance: SimulatedAppliance, signed: boolean): void {
    const contracts = store.contracts();
    for (const contract of contracts) {
      parseContract(contract);
      this.#follows(contract, signed);
      const { contractId, targetIdentityDigest, state } = contract;
      const holder = store.reservationOf(targetIdentityDigest)?.contractId ?? null;
      if (UNSETTLED.includes(state) && holder !== contractId) {
        throw new Violation(`lost lock: ${contractId} in ${state}`);
      }
      if (!UNSETTLED.includes(state) && holder === contractId) {
        throw new Violation(`lock kept: ${contractId} in ${state}`);
      }
      if (UNTOUCHED.includes(state) && appliance.wasChangedBy(contract)) {
        throw new Violation(`${contractId} changed the appliance and is ${state}`);
      }
      this.#before.set(contractId, contract);
    }
    const underWay = contracts.filter(
      ({ state }) => state === "EXECUTING" || state === "ROLLING_BACK",
    );
    if (underWay.length > 1) throw new Violation("two changes under way");
  }

  #follows(contract: RecoveryContract, signed: boolean): void {
    const before = this.#before.get(contract.contractId);
    if (before === undefined || before.stateVersion === contract.stateVersion) return;
    const [from, to] = [before.state, contract.state];
    if (from === "RECONCILIATION" && !signed) {
      throw new Violation(`${contract.contractId} left RECONCILIATION and nobody signed`);
    }
    const legal =
      from === to ||
      (["automatic", "dedicated", "manual"] as const).some((by) => mayTransition(from, to, by));
    if (!legal) throw new Violation(`${contract.contractId} went from ${from} to ${to}`);
  }
}
