import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import { sealArtifacts } from "../artifact/index.js";
import {
  idempotencyKey,
  intentDigest,
  snapshotDigest,
  targetIdentityDigest,
} from "../canonical/index.js";
import type { Identifier, RecoveryContract } from "../contract/index.js";
import { authorises } from "./authorises.js";
import { valueFree } from "./cause.js";
import { observe } from "./observe.js";
import type { ExecutorOptions } from "./options.js";
import { refusal } from "./refusal.js";
import { checkedRequest } from "./request.js";
import { scopeOf } from "./scope.js";

/** From preparation to the send. */
export const CONTRACT_TTL_MS = 5 * 60_000;

const ID_BYTES = 16;

export interface PrepareOptions {
  /** What the caller calls this change; one of its own unless given. */
  readonly operationId?: Identifier;
  /** Who allowed it. */
  readonly authorizationProvenance?: Identifier;
}

/**
 * Reads the target, and writes down what is to be done to it, what it is now, and how it would be
 * taken back. Nothing is sent.
 */
export const prepare = async <Intent extends JsonObject, Target extends JsonObject>(
  { store, readClient, policy, entropy, artifactKey }: ExecutorOptions,
  adapter: CapabilityAdapter<Intent, Target>,
  given: unknown,
  { operationId, authorizationProvenance }: PrepareOptions,
): Promise<RecoveryContract> => {
  const scope = scopeOf(adapter);
  if (!authorises(policy, scope)) throw refusal("EXECUTOR_UNAUTHORISED");
  const { intent, identity, live } = await valueFree(async () => {
    const intent = adapter.parseIntent(given);
    const identity = adapter.naturalIdentity(intent);
    const live = await observe(adapter, readClient, identity);
    // Built to see now what would be refused when the target is locked already.
    checkedRequest(adapter, adapter.buildRequest(intent, live.target));
    return { intent, identity, live };
  });
  const newId = (): Identifier => Buffer.from(entropy(ID_BYTES)).toString("hex");
  const contractId = newId();
  const bound = {
    ...scope,
    targetIdentityDigest: targetIdentityDigest(scope.capability, identity),
    targetFingerprint: live.fingerprint,
    lifecycleLocator: live.locator,
    intentDigest: intentDigest(scope, intent),
    snapshotDigest: snapshotDigest(scope, live.target),
    rollbackPlanVersion: adapter.rollbackPlanVersion,
  };
  const createdAt = store.now();
  const created = store.create({
    ...bound,
    contractId,
    operationId: operationId ?? newId(),
    idempotencyKey: idempotencyKey(bound),
    createdAt,
    expiresAt: createdAt + CONTRACT_TTL_MS,
    artifacts: sealArtifacts(
      contractId,
      { identity, intent, snapshot: live.target },
      { master: artifactKey, entropy },
    ),
    authorizationProvenance: authorizationProvenance ?? null,
  });
  return store.markPrepared(created);
};
