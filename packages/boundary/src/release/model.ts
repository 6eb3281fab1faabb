import type { Digest } from "@drydock/evidence";

/** Everything that an appliance is made and judged by, each exactly once. */
export const ARTIFACT_KINDS = [
  "golden-disk",
  "offline-payload",
  "participant-profile",
  "participant-readiness",
  "participant-asset-lock",
  "participant-qualification",
  "boundary-policy",
  "golden-inventory",
  "machine-drill",
] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** What runs. The last two are about it, and are made after it. */
export const PAYLOAD_KINDS: readonly ArtifactKind[] = ARTIFACT_KINDS.slice(0, 7);

export interface ReleaseArtifact {
  readonly id: string;
  readonly kind: ArtifactKind;
  /** Relative to the release's directory, without dot segments. */
  readonly path: string;
  readonly digest: Digest;
  readonly bytes: number;
}

/** What a release's owner signed. */
export interface ReleaseManifest {
  /** Over its RFC 8785 bytes, which are the file's. */
  readonly digest: Digest;
  readonly releaseId: string;
  readonly artifacts: readonly ReleaseArtifact[];
  /** Over those of `PAYLOAD_KINDS`. */
  readonly payloadDigest: Digest;
  readonly participant: {
    readonly profileId: string;
    readonly profileVersion: number;
    readonly profileDigest: Digest;
    readonly readinessDigest: Digest;
    readonly assetLockDigest: Digest;
    readonly qualificationDigest: Digest;
  };
  readonly boundary: {
    readonly policyDigest: Digest;
    /** Both `name@sha256:…`. */
    readonly helperImage: string;
    readonly proxyImage: string;
  };
}
