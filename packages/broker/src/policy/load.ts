import { type Digest, DrydockError } from "@drydock/evidence";
import { projectAppliance, projectReleased, type RequireReleased } from "./appliance.js";
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
  /** Instead of `proof`, for an appliance's policy that a release vouches for. */
  readonly requireReleased?: RequireReleased;
  /** For an appliance's policy that names none itself; not asked for any other. */
  readonly resolvers: () => readonly ResolverAddress[];
}

export interface LoadedPolicy {
  readonly policy: EgressPolicy;
  /** Null when nobody vouches for it. */
  readonly signature: PolicySignature | null;
  /** An appliance's policy has no place for a secret. */
  readonly admitsSecrets: boolean;
  /** Of an appliance's policy: digest of the file's bytes, and how old what was observed may be. */
  readonly appliance: { readonly digest: Digest; readonly freshnessSeconds: number } | null;
}

/**
 * Whatever policy a user names: an egress policy, signed or not, or an appliance's, which counts
 * only when it is signed or released.
 *
 * @throws DrydockError POLICY_UNSIGNED, POLICY_NOT_RELEASED, and as `parseEgressPolicy`,
 * `parseSignedPolicy`, `projectAppliance` and `projectReleased`
 */
export const loadPolicy = (bytes: Uint8Array, options: LoadOptions): LoadedPolicy => {
  const { file, proof, requireReleased } = options;
  if (isAppliancePolicy(bytes, file)) return loadAppliance(bytes, options);
  if (requireReleased !== undefined) {
    throw new DrydockError("POLICY_NOT_RELEASED", `${file} is no appliance's policy`, {
      fix: "A release vouches for an appliance's policy alone. Name that, or leave out the release.",
    });
  }
  const loaded =
    proof === null
      ? { policy: parseEgressPolicy(bytes, { file }), signature: null }
      : parseSignedPolicy(bytes, { file, ...proof });
  return { ...loaded, admitsSecrets: true, appliance: null };
};

const loadAppliance = (
  bytes: Uint8Array,
  { file, proof, requireReleased, resolvers }: LoadOptions,
): LoadedPolicy => {
  if (requireReleased !== undefined) {
    const { policy, ...appliance } = projectReleased(bytes, { file, resolvers, requireReleased });
    return { policy, signature: null, admitsSecrets: false, appliance };
  }
  if (proof !== null) {
    const projected = projectAppliance(bytes, { file, resolvers, ...proof });
    const { policy, signature, ...appliance } = projected;
    return { policy, signature, admitsSecrets: false, appliance };
  }
  throw new DrydockError("POLICY_UNSIGNED", `${file} is an appliance's policy, and unsigned`, {
    fix: "Name its signature with --signature, and with --key or --trust whose it has to be.",
  });
};
