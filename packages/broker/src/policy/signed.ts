import { policyBytes } from "./document.js";
import type { EgressPolicy } from "./model.js";
import { type PolicyFileOptions, parsePolicyToSign } from "./parse.js";
import { type PolicySignature, parsePolicySignature } from "./signature.js";
import type { PolicyKeys } from "./trusted-key.js";
import { verifyPolicySignature } from "./verify-signature.js";

export interface SignedPolicy {
  readonly policy: EgressPolicy;
  /** That somebody trusted vouches for it. */
  readonly signature: PolicySignature;
}

export interface SignedPolicyOptions extends PolicyFileOptions {
  /** The signature file's bytes. */
  readonly signature: Uint8Array;
  readonly keys: PolicyKeys;
}

/**
 * Reads a policy and holds it to a detached signature over its RFC 8785 bytes. The bytes are those
 * of what the file means, so that a manifest which embeds the policy can be held to it as well.
 *
 * @throws DrydockError as `parsePolicyToSign` and `verifyPolicySignature`, JsonError, ShapeError
 */
export const parseSignedPolicy = (
  text: string | Uint8Array,
  { file, signature: signatureFile, keys }: SignedPolicyOptions,
): SignedPolicy => {
  const policy = parsePolicyToSign(text, { file });
  const signature = parsePolicySignature(signatureFile);
  verifyPolicySignature(policyBytes(policy), signature, keys);
  return { policy, signature };
};
