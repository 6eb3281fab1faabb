export { MAX_LOG_FILE_BYTES } from "./directory.js";
export {
  ARTIFACTS_FILE,
  ARTIFACTS_FOLDER,
  checkpointFile,
  INCOMPLETE_FILE,
  LOGS_FOLDER,
  logFile,
  MANIFEST_FILE,
  STANDALONE_POLICY_FILE,
  VERDICT_FILE,
} from "./layout.js";
export { type Refusal, readRefusals } from "./refusals.js";
