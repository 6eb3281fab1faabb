import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import { targetFingerprint, targetIdentityDigest } from "../canonical/index.js";
import type { ReadClient } from "../client/index.js";
import type { HexDigest } from "../contract/index.js";
import { isAskedFor } from "./is-asked-for.js";
import { isFit } from "./is-fit.js";
import { readOnly } from "./read-only.js";
import { refusal } from "./refusal.js";
import { scopeOf } from "./scope.js";

/** One target, as the appliance gave it out a moment ago. */
export interface Observation<Target> {
  readonly target: Target;
  readonly fingerprint: HexDigest;
  /** The appliance's number for it today. */
  readonly locator: number;
}

/**
 * Reads the target afresh and measures it.
 *
 * @throws DrydockError EXECUTOR_TARGET_DIFFERENT, EXECUTOR_TARGET_UNFIT, or what adapter and client
 * throw.
 */
export const observe = async <Intent extends JsonObject, Target extends JsonObject>(
  adapter: CapabilityAdapter<Intent, Target>,
  client: ReadClient,
  identity: JsonObject,
): Promise<Observation<Target>> => {
  const { capability } = adapter;
  const target = await adapter.readTarget(readOnly(client), identity);
  const locator = adapter.transportLocator(target);
  if (!isFit(target, locator)) throw refusal("EXECUTOR_TARGET_UNFIT");
  const read = targetIdentityDigest(capability, adapter.identityOf(target));
  if (!isAskedFor(read, targetIdentityDigest(capability, identity))) {
    throw refusal("EXECUTOR_TARGET_DIFFERENT");
  }
  const fingerprint = targetFingerprint(scopeOf(adapter), adapter.fingerprint(target));
  return { target, fingerprint, locator };
};
