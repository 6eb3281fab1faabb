import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import { type ArtifactMasterKey, openArtifact } from "../artifact/index.js";
import { intentDigest, snapshotDigest, targetIdentityDigest } from "../canonical/index.js";
import type { RecoveryContract } from "../contract/index.js";
import { refusal } from "./refusal.js";
import { scopeOf } from "./scope.js";

/** What a contract keeps encrypted, as its adapter understands it. */
export interface Opened<Intent, Target> {
  readonly identity: JsonObject;
  readonly intent: Intent;
  readonly snapshot: Target;
}

/**
 * Decrypts a contract's artifacts; that each is what the contract's digest says is checked besides
 * what the encryption binds.
 *
 * @throws DrydockError ARTIFACT_UNREADABLE, EXECUTOR_INTENT_DIFFERENT
 * @throws AdapterError for what the adapter doesn't take
 */
export const openContract = <Intent extends JsonObject, Target extends JsonObject>(
  contract: RecoveryContract,
  adapter: CapabilityAdapter<Intent, Target>,
  key: ArtifactMasterKey,
): Opened<Intent, Target> => {
  const intent = adapter.parseIntent(openArtifact(contract, "intent", key));
  const snapshot = adapter.parseTarget(openArtifact(contract, "snapshot", key));
  const identity = adapter.naturalIdentity(intent);
  const kept = openArtifact(contract, "identity", key);
  const scope = scopeOf(adapter);
  const { capability, targetIdentityDigest: expected } = contract;
  if (
    contract.intentDigest !== intentDigest(scope, intent) ||
    contract.snapshotDigest !== snapshotDigest(scope, snapshot) ||
    expected !== targetIdentityDigest(capability, kept) ||
    expected !== targetIdentityDigest(capability, identity)
  ) {
    throw refusal("EXECUTOR_INTENT_DIFFERENT");
  }
  return { identity, intent, snapshot };
};
