export { requireOwnAgent } from "./agent-bundle.js";
export { buildImage } from "./build/build.js";
export { type ImagePlan, planImage, type Recipe } from "./build/plan.js";
export type { BuildContext, Parts } from "./build/runtime.js";
export type { ImageErrorCode } from "./errors.js";
export {
  type BuiltImage,
  inspectImage,
  type ListedImage,
  listImages,
  pruneImages,
  type ResolvedImage,
  removeImage,
  resolveImage,
} from "./images.js";
export type { ImageConfig, ImageManifest } from "./manifest.js";
export { type ImportRequest, importImage } from "./oci/import.js";
export { treeParts } from "./parts.js";
export type { Progress, Report } from "./progress.js";
export { type ArchiveLimits, DEFAULT_LIMITS } from "./tar/limits.js";
export { systemTools, type Tools } from "./tools.js";
export { createUpper, type UpperDisk, upperDisk } from "./upper/disk.js";
