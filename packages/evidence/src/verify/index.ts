export type { JournalSource, VerifyOptions, VerifyReport } from "./options.js";
export { verifyRun } from "./verify.js";
