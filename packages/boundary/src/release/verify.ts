import type { PublicKey } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { AppliancePolicy } from "../model/index.js";
import { parseReleaseManifest } from "./manifest.js";
import type { ReleaseManifest } from "./model.js";
import { parseReleaseSignature } from "./signature.js";
import { verifyReleaseSignature } from "./verify-signature.js";

/**
 * A release that somebody trusted vouches for. Nothing of a manifest is read before its signature
 * was found good.
 *
 * @throws DrydockError as `parseReleaseSignature`, `verifyReleaseSignature`, `parseReleaseManifest`
 */
export const verifyRelease = (
  manifest: Uint8Array,
  signature: Uint8Array,
  key: PublicKey,
): ReleaseManifest => {
  verifyReleaseSignature(manifest, parseReleaseSignature(signature), key);
  return parseReleaseManifest(manifest);
};

/**
 * The policy has no signature of its own: it is the one that the release names.
 *
 * @throws DrydockError RELEASE_POLICY_DIFFERENT
 */
export const requireReleasedPolicy = (
  { digest }: Pick<AppliancePolicy, "digest">,
  { boundary }: ReleaseManifest,
): void => {
  if (digest === boundary.policyDigest) return;
  refuse(
    "RELEASE_POLICY_DIFFERENT",
    `the policy is ${digest}, released is ${boundary.policyDigest}`,
    {
      fix: "Take the policy from the release.",
    },
  );
};
