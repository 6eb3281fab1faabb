import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { Cause, Identifier, RecoveryContract } from "../contract/index.js";
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
 */
export const rollback = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  contractId: Identifier,
  adapter: CapabilityAdapter<Intent, Target>,
): Promise<RollbackOutcome> => {
  const { store, policy, artifactKey } = options;
  const contract = store.load(contractId);
  if (!isContractsAdapter(contract, adapter)) throw refusal("EXECUTOR_ADAPTER_DIFFERENT");
  if (!authorises(policy, scopeOf(adapter))) throw refusal("EXECUTOR_UNAUTHORISED");
  const opened = await valueFree(() => openContract(contract, adapter, artifactKey));
  return back(options, store.beginRollback(contract), adapter, opened);
};

const back = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  held: RecoveryContract,
  adapter: CapabilityAdapter<Intent, Target>,
  { identity, snapshot }: Opened<Intent, Target>,
): Promise<RollbackOutcome> => {
  const { store, readClient } = options;
  // Before the target is looked at, so that nothing comes between that and the send.
  const captured = await attempt(() => captureHistory(held, readClient));
  const historyHead = captured.ok ? captured.value : null;
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

  // Nobody has looked at the target yet; that nothing was sent says nothing of what is there.
  if (!captured.ok) return lost(causeOf("HISTORY_UNAVAILABLE", captured.word), NOTHING_SENT);
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
