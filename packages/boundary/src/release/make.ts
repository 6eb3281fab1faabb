import { canonicalBytes, digestOf, type SigningKey, signBytes } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { parseReleaseManifest } from "./manifest.js";
import { ARTIFACT_KINDS, type ArtifactKind, type ReleaseArtifact } from "./model.js";
import { payloadDigestOf } from "./payload.js";
import { type ArtifactDocument, RELEASE_SCHEMA, SIGNATURE_SCHEMA } from "./schema.js";

/** What isn't computed of a release. */
export interface ReleaseParts {
  readonly releaseId: string;
  /** One of each kind. */
  readonly artifacts: readonly ReleaseArtifact[];
  readonly profile: { readonly id: string; readonly version: number };
  /** Both `name@sha256:…`. */
  readonly helperImage: string;
  readonly proxyImage: string;
}

/**
 * The bytes of `manifest.json`: what `signRelease` signs.
 *
 * @throws DrydockError as `parseReleaseManifest`
 */
export const releaseManifestBytes = (parts: ReleaseParts): Buffer => {
  const artifacts = parts.artifacts.map(
    ({ id, kind, path, digest, bytes }): ArtifactDocument => ({
      artifact_id: id,
      kind,
      path,
      sha256: digest,
      size_bytes: bytes,
    }),
  );
  const digestOfKind = (kind: ArtifactKind) =>
    artifacts.find((artifact) => artifact.kind === kind)?.sha256 ??
    refuse("RELEASE_ARTIFACTS", `there is no ${kind}`, {
      fix: `Give one of each: ${ARTIFACT_KINDS.join(", ")}.`,
    });
  const manifest = canonicalBytes({
    schema_version: RELEASE_SCHEMA,
    release_id: parts.releaseId,
    artifacts,
    payload_digest: payloadDigestOf(artifacts),
    participant: {
      profile_id: parts.profile.id,
      profile_version: parts.profile.version,
      profile_manifest_digest: digestOfKind("participant-profile"),
      readiness_suite_digest: digestOfKind("participant-readiness"),
      asset_lock_digest: digestOfKind("participant-asset-lock"),
      qualification_report_digest: digestOfKind("participant-qualification"),
    },
    boundary: {
      policy_digest: digestOfKind("boundary-policy"),
      boundary_helper_image: parts.helperImage,
      egress_proxy_image: parts.proxyImage,
    },
  });
  parseReleaseManifest(manifest);
  return manifest;
};

/**
 * The bytes of `manifest.sig.json`. The format signs the manifest's bytes as they are: they begin
 * with a brace, as nothing does that a key signs in one of our own namespaces.
 *
 * @throws DrydockError as `parseReleaseManifest`: nothing is signed that would be refused.
 */
export const signRelease = (manifest: Uint8Array, key: SigningKey): Buffer => {
  parseReleaseManifest(manifest);
  return canonicalBytes({
    schema_version: SIGNATURE_SCHEMA,
    algorithm: "ed25519",
    key_id: key.public.keyId,
    manifest_digest: digestOf(manifest),
    signature: signBytes(manifest, key).toString("base64"),
  });
};
