import { DrydockError } from "@drydock/evidence";
import { projectAppliance } from "./appliance.js";
import { isAppliancePolicy } from "./bytes-to-sign.js";
import type { EgressPolicy, ResolverAddress } from "./model.js";
import { parseEgressPolicy } from "./parse.js";
import type { PolicySignature } from "./signature.js";
import { parseSignedPolicy } from "./signed.js";
import type { PolicyKeys } from "./trusted-key.js";

export interface LoadOptions {
  /** As the user named it, for messages. */
  readonly file: string;
  /** A detached signature and the keys that may have made it; null for a policy taken unsigned. */
  readonly proof: { readonly signature: Uint8Array; readonly keys: PolicyKeys } | null;
  /** For an appliance's policy, which names none itself; not asked for any other. */
  readonly resolvers: () => readonly ResolverAddress[];
}

export interface LoadedPolicy {
  readonly policy: EgressPolicy;
  /** Null when nobody vouches for it. */
  readonly signature: PolicySignature | null;
  /** An appliance's policy has no place for a secret. */
  readonly admitsSecrets: boolean;
}

/**
 * Whatever policy a user names: an egress policy, signed or not, or an appliance's, which counts
 * only when it is signed.
 *
 * @throws DrydockError POLICY_UNSIGNED, and as `parseEgressPolicy`, `parseSignedPolicy` and
 * `projectAppliance`
 */
export const loadPolicy = (
  bytes: Uint8Array,
  { file, proof, resolvers }: LoadOptions,
): LoadedPolicy => {
  if (isAppliancePolicy(bytes, file)) {
    if (proof !== null) {
      const projected = projectAppliance(bytes, { file, resolvers: resolvers(), ...proof });
      return { ...projected, admitsSecrets: false };
    }
    throw new DrydockError("POLICY_UNSIGNED", `${file} is an appliance's policy, and unsigned`, {
      fix: "Name its signature with --signature, and with --key or --trust whose it has to be.",
    });
  }
  const loaded =
    proof === null
      ? { policy: parseEgressPolicy(bytes, { file }), signature: null }
      : parseSignedPolicy(bytes, { file, ...proof });
  return { ...loaded, admitsSecrets: true };
};
