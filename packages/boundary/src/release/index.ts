export { type ReleaseParts, releaseManifestBytes, signRelease } from "./make.js";
export { parseReleaseManifest } from "./manifest.js";
export {
  ARTIFACT_KINDS,
  type ArtifactKind,
  type ReleaseArtifact,
  type ReleaseManifest,
} from "./model.js";
export {
  RELEASE_SCHEMA,
  releaseJsonSchema,
  SIGNATURE_SCHEMA,
  signatureJsonSchema,
} from "./schema.js";
export { requireReleasedPolicy, verifyRelease } from "./verify.js";
