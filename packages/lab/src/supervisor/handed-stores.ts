import { existsSync } from "node:fs";
import { type ContractStore, openAnchorFile, openContractStore } from "@drydock/acceptance";
import { DrydockError, isDrydockError } from "@drydock/evidence";
import type { HandedStore } from "../scenario/index.js";
import type { LeftContract, SupervisedExit } from "./model.js";
import { isWithin } from "./within.js";

/** Of one scenario, which has one: a harness that hands over without end fills nobody's memory. */
const MAX_STORES = 256;

/** Stores of the scenario that is played, so that their contracts outlive whoever works on them. */
export class HandedStores {
  readonly #within: string;
  readonly #stores: HandedStore[] = [];

  /** @param within the directory that every one of them has to lie in */
  constructor(within: string) {
    this.#within = within;
  }

  /** @throws DrydockError LAB_STORE */
  take(store: HandedStore): void {
    for (const path of [store.directory, store.anchorDirectory])
      if (!isWithin(this.#within, path))
        throw new DrydockError("LAB_STORE", "a store isn't in the rehearsal's directory");
    if (this.#stores.length >= MAX_STORES)
      throw new DrydockError("LAB_STORE", `a scenario has more than ${MAX_STORES} stores`);
    this.#stores.push(store);
  }

  /** Whose stores they are; null between scenarios. */
  get scenario(): string | null {
    return this.#stores[0]?.scenario ?? null;
  }

  /** The scenario has come to its end: what it made is destroyed, and so are the keys here. */
  forget(): void {
    for (const { key } of this.#stores.splice(0)) key.fill(0);
  }

  /**
   * Opens what is left. Whatever was under way goes to RECONCILIATION: whoever worked on it has to be
   * gone. A store that can't be opened is named.
   */
  recover(clock: () => number): Pick<SupervisedExit, "contracts" | "unreadable"> {
    const contracts: LeftContract[] = [];
    const unreadable: { scenario: string; code: string }[] = [];
    for (const handed of this.#stores) {
      const { scenario, directory, anchorDirectory } = handed;
      // Not begun, or cleared away by a harness that was killed before it could say so.
      if (!existsSync(directory) || !existsSync(anchorDirectory)) continue;
      try {
        contracts.push(...contractsIn(handed, clock));
      } catch (error) {
        unreadable.push({ scenario, code: isDrydockError(error) ? error.code : "UNEXPECTED" });
      }
    }
    return { contracts, unreadable };
  }
}

const contractsIn = (
  { scenario, directory, anchorDirectory, storeId, key }: HandedStore,
  clock: () => number,
): readonly LeftContract[] => {
  const anchor = openAnchorFile({ directory: anchorDirectory, storeId });
  let store: ContractStore | null = null;
  try {
    store = openContractStore({ directory, storeId, key, clock, anchor });
    const interrupted = new Set(store.recoverInterrupted().map(({ contractId }) => contractId));
    return store.contracts().map(({ contractId, state }) => ({
      scenario,
      contractId,
      state,
      interrupted: interrupted.has(contractId),
    }));
  } finally {
    store?.close();
    anchor.close();
  }
};
