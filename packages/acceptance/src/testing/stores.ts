import assert from "node:assert/strict";
import { isDrydockError } from "@drydock/evidence";
import type { RecoveryContract } from "../contract/index.js";
import { openContractStoreWithHooks } from "../rehearsal/index.js";
import type { ContractStore, FaultHooks, RollbackAnchor } from "../store/index.js";
import { openContractStore } from "../store/index.js";
import {
  AFTER,
  CAUSE,
  conclusionOf,
  confirmationOf,
  handClock,
  ownDirectory,
  termsFor,
  verifier,
} from "./contracts.js";

type Ending = { after(fn: () => void): void };

export const STORE_KEY = Buffer.alloc(32, 5);
export const STORE_ID = "store-1";

/** A place for a store, opened as often as wanted. */
export const storePlace = (test: Ending, { anchor }: { readonly anchor?: RollbackAnchor } = {}) => {
  const directory = ownDirectory(test);
  const clock = handClock();
  const options = {
    directory,
    storeId: STORE_ID,
    key: STORE_KEY,
    clock: clock.read,
    ...(anchor === undefined ? {} : { anchor }),
  };
  const opened: ContractStore[] = [];
  test.after(() => {
    for (const store of opened) store.close();
  });
  const kept = <T extends ContractStore>(store: T): T => {
    opened.push(store);
    return store;
  };
  return {
    directory,
    file: `${directory}/contracts.sqlite`,
    clock,
    options,
    open: (other: Partial<typeof options> = {}) =>
      kept(openContractStore({ ...options, ...other })),
    openWithHooks: (hooks: FaultHooks) => kept(openContractStoreWithHooks({ ...options, hooks })),
  };
};

/** The code that something is refused with. */
export const refusalOf = (act: () => unknown): string => {
  try {
    act();
    return "accepted";
  } catch (error) {
    if (isDrydockError(error)) return error.code;
    throw error;
  }
};

/** Takes contracts where they are to be, by the calls of the store. */
export const drive = (store: ContractStore) => {
  const prepared = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.markPrepared(store.create(termsFor(name, { at: store.now(), ...fields })));
  const confirmed = (name: string, fields: Parameters<typeof termsFor>[1] = {}) => {
    const contract = prepared(name, fields);
    return store.confirm(contract, confirmationOf(contract), verifier);
  };
  const executing = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.acquireExecuting(confirmed(name, fields));
  const verified = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.sealVerified(executing(name, fields), { fingerprint: AFTER, locator: 7 });
  const rollingBack = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.beginRollback(verified(name, fields));
  const lost = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.enterReconciliation(executing(name, fields), CAUSE);
  const lostRollback = (name: string, fields: Parameters<typeof termsFor>[1] = {}) =>
    store.enterReconciliation(rollingBack(name, fields), CAUSE);
  const resolved = (
    contract: RecoveryContract,
    outcome: Parameters<typeof conclusionOf>[1],
  ): RecoveryContract => {
    assert.equal(contract.state, "RECONCILIATION");
    return store.resolve(contract, conclusionOf(contract, outcome), verifier);
  };
  return { prepared, confirmed, executing, verified, rollingBack, lost, lostRollback, resolved };
};
