import { canonicalise, type JsonObject, parseJson } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import {
  canonicalBytes,
  type Scope,
  targetFingerprint,
  targetIdentityDigest,
} from "../canonical/index.js";
import type { ReadClient } from "../client/index.js";
import type { HexDigest } from "../contract/index.js";
import { readOnly } from "./read-only.js";
import { refusal } from "./refusal.js";

/** One target, as the appliance gave it out a moment ago. */
export interface Observation<Target> {
  readonly target: Target;
  readonly identity: HexDigest;
  readonly fingerprint: HexDigest;
  /** The appliance's number for it today. */
  readonly locator: number;
}

const MAX_LOCATOR = 2 ** 31 - 1;

/**
 * Reads the target afresh and measures it. That it is the one that was asked for is checked here
 * again: an adapter that finds targets by their number brings another one sooner or later.
 *
 * @throws DrydockError EXECUTOR_TARGET_DIFFERENT, EXECUTOR_TARGET_UNFIT, or what adapter and client
 * throw.
 */
export const observe = async <Intent extends JsonObject, Target extends JsonObject>(
  adapter: CapabilityAdapter<Intent, Target>,
  client: ReadClient,
  identity: JsonObject,
): Promise<Observation<Target>> => {
  const target = await adapter.readTarget(readOnly(client), identity);
  const locator = adapter.transportLocator(target);
  const fit = Number.isInteger(locator) && locator >= 0 && locator <= MAX_LOCATOR;
  if (!fit || !survives(target)) throw refusal("EXECUTOR_TARGET_UNFIT");
  const measured = {
    target,
    identity: targetIdentityDigest(adapter.capability, adapter.identityOf(target)),
    fingerprint: targetFingerprint(scopeOf(adapter), adapter.fingerprint(target)),
    locator,
  };
  if (measured.identity !== targetIdentityDigest(adapter.capability, identity)) {
    throw refusal("EXECUTOR_TARGET_DIFFERENT");
  }
  return measured;
};

/** Which operation an adapter's digests belong to. */
export const scopeOf = ({ capability, endpointSymbol, httpMethod }: Scope): Scope => ({
  capability,
  endpointSymbol,
  httpMethod,
});

/** What a snapshot's canonical form would change, a rollback couldn't bring back. */
const survives = (target: JsonObject): boolean =>
  canonicalise(parseJson(canonicalBytes(target))) === canonicalise(target);
