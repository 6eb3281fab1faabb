import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { Cause, HexDigest, Identifier, RecoveryContract } from "../contract/index.js";
import { attempt } from "./attempt.js";
import { authorises } from "./authorises.js";
import { captureHistory } from "./capture-history.js";
import { causeOf, valueFree } from "./cause.js";
import { isConflict } from "./is-conflict.js";
import { isContractsAdapter } from "./is-contracts-adapter.js";
import { judgeRestored } from "./judge-restored.js";
import { mayNotRollBack } from "./may-roll-back.js";
import { observe } from "./observe.js";
import { type Opened, openContract } from "./open-contract.js";
import type { ExecutorOptions } from "./options.js";
import { NOTHING_SENT, type RollbackOutcome, type Trace } from "./outcome.js";
import { refusal } from "./refusal.js";
import { checkedRequest } from "./request.js";
import { scopeOf } from "./scope.js";
import { sendAndLook } from "./send-and-look.js";

/**
 * Takes a verified change back, once, from what the contract keeps: nobody says again what was
 * asked for. Its time being over doesn't matter. Whatever isn't exactly what the change left stays.
 * What is refused before it is acquired throws and leaves it VERIFIED, so that it may be asked for
 * again; nothing here does that by itself.
 */
export const rollback = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  contractId: Identifier,
  adapter: CapabilityAdapter<Intent, Target>,
): Promise<RollbackOutcome> => {
  const { store, policy, artifactKey, readClient } = options;
  const contract = store.load(contractId);
  if (!isContractsAdapter(contract, adapter)) throw refusal("EXECUTOR_ADAPTER_DIFFERENT");
  if (!authorises(policy, scopeOf(adapter))) throw refusal("EXECUTOR_UNAUTHORISED");
  if (contract.state !== "VERIFIED") throw refusal("CONTRACT_TRANSITION");
  const opened = await valueFree(() => openContract(contract, adapter, artifactKey));
  // Before it is acquired: there is no way back to VERIFIED, and an appliance that doesn't show its
  // history for a moment would end the only way back that there is.
  const captured = await attempt(() => captureHistory(contract, readClient));
  if (!captured.ok) throw refusal("EXECUTOR_HISTORY_UNAVAILABLE", captured.word);
  const acquired = { held: store.beginRollback(contract), historyHead: captured.value };
  return back(options, acquired, adapter, opened);
};

interface Acquired {
  readonly held: RecoveryContract;
  /** From before the target is looked at, so that nothing comes between that and the send. */
  readonly historyHead: HexDigest | null;
}

const back = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  { held, historyHead }: Acquired,
  adapter: CapabilityAdapter<Intent, Target>,
  { identity, snapshot }: Opened<Intent, Target>,
): Promise<RollbackOutcome> => {
  const { store, readClient } = options;
  const failed = (cause: Cause, trace: Trace): RollbackOutcome => ({
    kind: "rollback-failed",
    contract: store.failRollback(held, cause),
    cause,
    historyHead,
    ...trace,
  });
  const lost = (cause: Cause, trace: Trace): RollbackOutcome => ({
    kind: "reconciliation",
    contract: store.enterReconciliation(held, cause),
    cause,
    historyHead,
    ...trace,
  });

  const live = await attempt(() => observe(adapter, readClient, identity));
  if (!live.ok) {
    // Who sees that the target is gone knows something; who can't see it knows nothing.
    const end = isConflict(live.word) ? failed : lost;
    return end(causeOf("READ_FAILED", live.word), NOTHING_SENT);
  }
  const conflict = mayNotRollBack(held, live.value);
  if (conflict !== null) return failed(causeOf(conflict), NOTHING_SENT);
  const request = await attempt(() =>
    checkedRequest(adapter, adapter.buildRollbackRequest(snapshot, live.value.target)),
  );
  if (!request.ok) return failed(causeOf("REQUEST_INVALID", request.word), NOTHING_SENT);

  const looked = await sendAndLook(options, adapter, identity, request.value);
  if (looked.kind === "no-effect") return failed(looked.cause, looked.trace);
  if (looked.kind === "unknown") return lost(looked.cause, looked.trace);
  const { post, trace } = looked;
  const judged = await attempt(() => judgeRestored(adapter, held, snapshot, post));
  if (!judged.ok) return lost(causeOf("READBACK_FAILED", judged.word), trace);
  switch (judged.value.kind) {
    case "restored":
      return {
        kind: "rolled-back",
        contract: store.sealRolledBack(held, post),
        cause: null,
        historyHead,
        ...trace,
      };
    case "different":
      return failed(causeOf(judged.value.failureClass), trace);
    case "unclear":
      return lost(causeOf(judged.value.failureClass), trace);
  }
};
