import type { ContractTerms, HexDigest } from "../contract/model.js";
import type { CanonicalValue } from "./canonicalise.js";
import { type Purpose, purposeDigest } from "./purpose.js";

/** Which operation a digest belongs to: the same change over another endpoint is another change. */
export type Scope = Pick<ContractTerms, "capability" | "endpointSymbol" | "httpMethod">;

/** Of what names a target for its owner, whichever endpoint reaches it. */
export const targetIdentityDigest = (capability: string, identity: CanonicalValue): HexDigest =>
  purposeDigest("target-identity", [capability], identity);

export const targetFingerprint = (scope: Scope, projection: CanonicalValue): HexDigest =>
  within("target-fingerprint", scope, projection);

export const intentDigest = (scope: Scope, intent: CanonicalValue): HexDigest =>
  within("intent", scope, intent);

export const snapshotDigest = (scope: Scope, snapshot: CanonicalValue): HexDigest =>
  within("snapshot", scope, snapshot);

/** Of the newest revision of an appliance's history, by where that history is read. */
export const historyHeadDigest = (path: string, revision: CanonicalValue): HexDigest =>
  purposeDigest("history-head", [path], revision);

/**
 * The same change over the same state it starts from, whoever asks and whatever they call it:
 * neither the contract's nor the operation's id is in it, so that asking twice collides.
 */
export const idempotencyKey = (
  terms: Scope &
    Pick<
      ContractTerms,
      | "intentDigest"
      | "lifecycleLocator"
      | "rollbackPlanVersion"
      | "snapshotDigest"
      | "targetFingerprint"
      | "targetIdentityDigest"
    >,
): HexDigest =>
  within("idempotency", terms, {
    intent_digest: terms.intentDigest,
    lifecycle_locator: terms.lifecycleLocator,
    rollback_plan_version: terms.rollbackPlanVersion,
    snapshot_digest: terms.snapshotDigest,
    target_fingerprint: terms.targetFingerprint,
    target_identity_digest: terms.targetIdentityDigest,
  });

const within = (purpose: Purpose, scope: Scope, value: CanonicalValue): HexDigest =>
  purposeDigest(purpose, [scope.capability, scope.endpointSymbol, scope.httpMethod], value);
