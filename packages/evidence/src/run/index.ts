export {
  ARTIFACTS_FILE,
  ARTIFACTS_FOLDER,
  checkpointFile,
  INCOMPLETE_FILE,
  LOGS_FOLDER,
  logFile,
  MANIFEST_FILE,
  VERDICT_FILE,
} from "./layout.js";
