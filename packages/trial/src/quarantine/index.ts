export { type Admission, type AdmissionPolicy, admit, EMPTY_ADMISSION } from "./admit.js";
export {
  type ArtifactFinding,
  type CollectedFile,
  type Collection,
  type CollectPorts,
  collectArtifacts,
} from "./collect.js";
export { type DirectoryStore, openDirectoryStore } from "./directory-store.js";
export { ARTIFACT_LIMITS, type ArtifactLimits } from "./limits.js";
export type { RefusalRule, StopRule } from "./rule.js";
export type { ArtifactSink, ArtifactStore, ContentWatch } from "./store.js";
