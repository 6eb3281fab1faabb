import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import type { Cause, Identifier, RecoveryContract } from "../contract/index.js";
import { attempt } from "./attempt.js";
import { authorises } from "./authorises.js";
import { captureHistory } from "./capture-history.js";
import { causeOf, valueFree } from "./cause.js";
import { isContractsAdapter } from "./is-contracts-adapter.js";
import { isContractsIntent } from "./is-contracts-intent.js";
import { judgeReadback } from "./judge-readback.js";
import { mayNotSend } from "./may-send.js";
import { observe } from "./observe.js";
import { type Opened, openContract } from "./open-contract.js";
import type { ExecutorOptions } from "./options.js";
import { type ExecutionOutcome, NOTHING_SENT, type Trace } from "./outcome.js";
import { refusal } from "./refusal.js";
import { checkedRequest } from "./request.js";
import { scopeOf } from "./scope.js";
import { sendAndLook } from "./send-and-look.js";

/**
 * Does what a confirmed contract says, once. What is refused before the contract is acquired throws
 * and leaves it as it is; from then on every way out writes a transition.
 */
export const execute = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  contractId: Identifier,
  adapter: CapabilityAdapter<Intent, Target>,
  given: unknown,
): Promise<ExecutionOutcome> => {
  const { store, policy, artifactKey } = options;
  const contract = store.load(contractId);
  if (!isContractsAdapter(contract, adapter)) throw refusal("EXECUTOR_ADAPTER_DIFFERENT");
  if (!authorises(policy, scopeOf(adapter))) throw refusal("EXECUTOR_UNAUTHORISED");
  const opened = await valueFree(() => {
    if (!isContractsIntent(contract, adapter, adapter.parseIntent(given))) {
      throw refusal("EXECUTOR_INTENT_DIFFERENT");
    }
    return openContract(contract, adapter, artifactKey);
  });
  return forward(options, store.acquireExecuting(contract), adapter, opened);
};

const forward = async <Intent extends JsonObject, Target extends JsonObject>(
  options: ExecutorOptions,
  held: RecoveryContract,
  adapter: CapabilityAdapter<Intent, Target>,
  { identity, intent }: Opened<Intent, Target>,
): Promise<ExecutionOutcome> => {
  const { store, readClient } = options;
  // Before the target is looked at, so that nothing comes between that and the send.
  const captured = await attempt(() => captureHistory(held, readClient));
  const historyHead = captured.ok ? captured.value : null;
  const failed = (cause: Cause, trace: Trace): ExecutionOutcome => ({
    kind: "failed",
    contract: store.fail(held, cause),
    cause,
    historyHead,
    ...trace,
  });
  const lost = (cause: Cause, trace: Trace): ExecutionOutcome => ({
    kind: "reconciliation",
    contract: store.enterReconciliation(held, cause),
    cause,
    historyHead,
    ...trace,
  });

  // Nothing was sent yet, so whatever goes wrong here, the appliance is as it was.
  if (!captured.ok) return failed(causeOf("HISTORY_UNAVAILABLE", captured.word), NOTHING_SENT);
  const pre = await attempt(() => observe(adapter, readClient, identity));
  if (!pre.ok) return failed(causeOf("READ_FAILED", pre.word), NOTHING_SENT);
  const drift = mayNotSend(held, pre.value);
  if (drift !== null) return failed(causeOf(drift), NOTHING_SENT);
  const request = await attempt(() =>
    checkedRequest(adapter, adapter.buildRequest(intent, pre.value.target)),
  );
  if (!request.ok) return failed(causeOf("REQUEST_INVALID", request.word), NOTHING_SENT);

  const looked = await sendAndLook(options, adapter, identity, request.value);
  if (looked.kind === "no-effect") return failed(looked.cause, looked.trace);
  if (looked.kind === "unknown") return lost(looked.cause, looked.trace);
  const { post, trace } = looked;
  const judged = await attempt(() => judgeReadback(adapter, pre.value, post, intent));
  if (!judged.ok) return lost(causeOf("READBACK_FAILED", judged.word), trace);
  switch (judged.value.kind) {
    case "verified":
      return {
        kind: "verified",
        contract: store.sealVerified(held, post),
        cause: null,
        historyHead,
        ...trace,
      };
    case "unchanged":
      return failed(causeOf("READBACK_UNCHANGED"), trace);
    case "unclear":
      return lost(causeOf(judged.value.failureClass), trace);
  }
};
