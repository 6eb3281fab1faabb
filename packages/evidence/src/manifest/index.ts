export {
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestChannel,
  type ManifestDevice,
  type ManifestSource,
  manifestSchema,
  parseManifest,
  TIERS,
  type Tier,
} from "./manifest.js";
export { experimentDigest, type SealedManifest, sealManifest } from "./seal.js";
