export {
  ARTIFACTS_SCHEMA,
  type Artifact,
  type ArtifactList,
  artifactFile,
  artifactsBytes,
  artifactsSchema,
  parseArtifacts,
} from "./artifacts.js";
