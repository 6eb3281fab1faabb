import type { JsonObject } from "@drydock/evidence";
import type { CapabilityAdapter } from "../adapter/index.js";
import { intentDigest, targetIdentityDigest } from "../canonical/index.js";
import type { RecoveryContract } from "../contract/index.js";
import { scopeOf } from "./scope.js";

/** Whether this is what was asked for when the contract was prepared, whoever says so now. */
export const isContractsIntent = <Intent extends JsonObject, Target extends JsonObject>(
  contract: RecoveryContract,
  adapter: CapabilityAdapter<Intent, Target>,
  intent: Intent,
): boolean =>
  contract.intentDigest === intentDigest(scopeOf(adapter), intent) &&
  contract.targetIdentityDigest ===
    targetIdentityDigest(adapter.capability, adapter.naturalIdentity(intent));
