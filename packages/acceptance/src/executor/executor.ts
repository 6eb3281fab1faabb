import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { ConfirmationEvidence } from "../confirmation/index.js";
import type { Identifier, RecoveryContract } from "../contract/index.js";
import type { ReconciliationEvidence } from "../reconciliation/index.js";
import { execute } from "./execute.js";
import type { ExecutorOptions } from "./options.js";
import type { ExecutionOutcome, RollbackOutcome } from "./outcome.js";
import { type PrepareOptions, prepare } from "./prepare.js";
import { rollback } from "./rollback.js";

/**
 * Changes one target under a contract. All throw what the store throws, and refuse with EXECUTOR_…,
 * an AdapterError or a TransportError, before a contract is acquired; none of these carries a value.
 */
export interface Executor {
  /** What was under way when whoever had the store before was gone; it is in RECONCILIATION now. */
  readonly interrupted: readonly RecoveryContract[];
  /** Reads the target and seals what is to be done. Sends nothing. */
  prepare<Intent extends JsonObject, Target extends JsonObject>(
    adapter: CapabilityAdapter<Intent, Target>,
    intent: unknown,
    options?: PrepareOptions,
  ): Promise<RecoveryContract>;
  /** Takes an owner's signed word, once. */
  confirm(contractId: Identifier, evidence: ConfirmationEvidence): RecoveryContract;
  /** Sends at most once, ever, and says what is proven. */
  execute<Intent extends JsonObject, Target extends JsonObject>(
    contractId: Identifier,
    adapter: CapabilityAdapter<Intent, Target>,
    intent: unknown,
  ): Promise<ExecutionOutcome>;
  /** Sends at most once, and only over exactly what the change left. */
  rollback<Intent extends JsonObject, Target extends JsonObject>(
    contractId: Identifier,
    adapter: CapabilityAdapter<Intent, Target>,
  ): Promise<RollbackOutcome>;
  /** Takes the signed word of somebody who looked: the only way out of RECONCILIATION. */
  reconcile(contractId: Identifier, evidence: ReconciliationEvidence): RecoveryContract;
}

/**
 * An executor over what it is handed, and nothing else. Whatever the store has as under way goes to
 * RECONCILIATION first: there is one executor for a store at a time.
 */
export const createExecutor = (options: ExecutorOptions): Executor => {
  const { store, verifyConfirmation, verifyReconciliation } = options;
  const interrupted = store.recoverInterrupted();
  return {
    interrupted,
    prepare: (adapter, intent, prepareOptions = {}) =>
      prepare(options, adapter, intent, prepareOptions),
    confirm: (contractId, evidence) =>
      store.confirm(store.load(contractId), evidence, verifyConfirmation),
    execute: (contractId, adapter, intent) => execute(options, contractId, adapter, intent),
    rollback: (contractId, adapter) => rollback(options, contractId, adapter),
    reconcile: (contractId, evidence) =>
      store.resolve(store.load(contractId), evidence, verifyReconciliation),
  };
};
