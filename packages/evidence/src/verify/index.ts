export type { JournalSource, VerifyOptions, VerifyReport } from "./options.js";
export { concludedVerdict } from "./signed-verdict.js";
export { verifyRun } from "./verify.js";
export {
  isLogDirectory,
  type LogReport,
  type VerifyLogOptions,
  verifyLogDirectory,
} from "./verify-log.js";
