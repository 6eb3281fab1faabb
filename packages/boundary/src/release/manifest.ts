import { digestOf } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { ArtifactKind, ReleaseManifest } from "./model.js";
import { payloadDigestOf } from "./payload.js";
import { readCanonical } from "./read.js";
import { type ArtifactDocument, type ReleaseDocument, releaseSchema } from "./schema.js";

/** Nine artifacts and what upstream says of guest, delivery and drills are some 10 KB. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/**
 * Reads `aptl.appliance-release/v1`: nine artifacts, each kind once, and bindings that agree with
 * them. It says nothing about who signed it, see `verifyRelease`.
 *
 * @throws DrydockError RELEASE_INVALID, RELEASE_ARTIFACTS, RELEASE_PAYLOAD_DIFFERENT,
 * RELEASE_BINDING_DIFFERENT
 */
export const parseReleaseManifest = (bytes: Uint8Array): ReleaseManifest => {
  const document = readCanonical(bytes, releaseSchema, "release manifest", {
    code: "RELEASE_INVALID",
    maxBytes: MAX_MANIFEST_BYTES,
  });
  const byKind = artifactsByKind(document.artifacts);
  const payload = payloadDigestOf(document.artifacts);
  if (payload !== document.payload_digest) {
    const message = `payload_digest is ${document.payload_digest}, and the artifacts have ${payload}`;
    refuse("RELEASE_PAYLOAD_DIFFERENT", message, FIX);
  }
  const { participant, boundary } = document;
  for (const [kind, bound] of bindings(document)) {
    const artifact = byKind(kind);
    if (artifact.sha256 === bound) continue;
    refuse(
      "RELEASE_BINDING_DIFFERENT",
      `${kind} is ${artifact.sha256}, and bound is ${bound}`,
      FIX,
    );
  }
  return {
    digest: digestOf(bytes),
    releaseId: document.release_id,
    artifacts: document.artifacts.map((artifact) => ({
      id: artifact.artifact_id,
      kind: artifact.kind,
      path: artifact.path,
      digest: artifact.sha256,
      bytes: artifact.size_bytes,
    })),
    payloadDigest: payload,
    participant: {
      profileId: participant.profile_id,
      profileVersion: participant.profile_version,
      profileDigest: participant.profile_manifest_digest,
      readinessDigest: participant.readiness_suite_digest,
      assetLockDigest: participant.asset_lock_digest,
      qualificationDigest: participant.qualification_report_digest,
    },
    boundary: {
      policyDigest: boundary.policy_digest,
      helperImage: boundary.boundary_helper_image,
      proxyImage: boundary.egress_proxy_image,
    },
  };
};

const FIX = { fix: "Have the release made and signed again." };

/** By kind, once it is known that each is there once. */
const artifactsByKind = (
  artifacts: readonly ArtifactDocument[],
): ((kind: ArtifactKind) => ArtifactDocument) => {
  const wrong = (what: string): never => refuse("RELEASE_ARTIFACTS", `${what}`, FIX);
  for (const key of ["kind", "artifact_id", "path"] as const) {
    if (new Set(artifacts.map((artifact) => artifact[key])).size !== artifacts.length) {
      wrong(`two artifacts have one ${key}`);
    }
  }
  return (kind) =>
    artifacts.find((artifact) => artifact.kind === kind) ?? wrong(`there is no ${kind}`);
};

const bindings = ({
  participant,
  boundary,
}: ReleaseDocument): readonly (readonly [ArtifactKind, string])[] => [
  ["participant-profile", participant.profile_manifest_digest],
  ["participant-readiness", participant.readiness_suite_digest],
  ["participant-asset-lock", participant.asset_lock_digest],
  ["participant-qualification", participant.qualification_report_digest],
  ["boundary-policy", boundary.policy_digest],
];
