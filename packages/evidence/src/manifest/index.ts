export {
  BOUNDARY_MANIFEST_SCHEMA,
  BOUNDARY_PHASES,
  type BoundaryManifest,
  type BoundaryPhase,
  boundaryManifestSchema,
} from "./boundary.js";
export { LAB_MANIFEST_SCHEMA, type LabManifest, labManifestSchema } from "./lab.js";
export { type Manifest, parseManifest } from "./manifest.js";
export {
  MANIFEST_SCHEMA,
  type ManifestChannel,
  type ManifestDevice,
  type ManifestSource,
  manifestSchema,
  type RunManifest,
  TIERS,
  type Tier,
} from "./run.js";
export { experimentDigest, type SealedManifest, sealManifest } from "./seal.js";
