import { DrydockError, digestOf, verifyIn } from "@drydock/evidence";
import type { PolicySignature } from "./signature.js";
import { type PolicyKeys, trustedPolicyKey } from "./trusted-key.js";

/**
 * Checks a detached signature over the RFC 8785 bytes of a policy: first whether its key may sign
 * policies, then whether it speaks of these bytes, then the signature itself.
 *
 * @throws DrydockError POLICY_KEY_UNTRUSTED, POLICY_DIGEST_DIFFERENT or POLICY_SIGNATURE_INVALID
 */
export const verifyPolicySignature = (
  signed: Uint8Array,
  signature: PolicySignature,
  keys: PolicyKeys,
): void => {
  const key = trustedPolicyKey(signature.keyId, keys);
  const digest = digestOf(signed);
  if (signature.digest !== digest) {
    throw new DrydockError(
      "POLICY_DIGEST_DIFFERENT",
      `the signature is for ${signature.digest}, the policy is ${digest}`,
      { fix: "Take policy and signature from the same place, or have this one signed." },
    );
  }
  if (!verifyIn("policy", signed, signature.value, key)) {
    throw new DrydockError(
      "POLICY_SIGNATURE_INVALID",
      `the signature isn't one of ${key.keyId} for this policy`,
      { fix: "Have the policy signed again." },
    );
  }
};
