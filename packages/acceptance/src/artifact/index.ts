export { openArtifact } from "./open.js";
export { type ArtifactMasterKey, type Entropy, sealArtifacts } from "./seal.js";
