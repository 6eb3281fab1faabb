export { effectiveEnvironment } from "./commit-environment.js";
export { ensureState } from "./home.js";
export {
  type CommandEnd,
  type LaunchEgress,
  type LaunchedRun,
  type LaunchOptions,
  launchRun,
} from "./launch-run.js";
export type { Finished } from "./lost.js";
export { WORK_DIRECTORY } from "./order.js";
export { findProgramRoot, type Program } from "./program.js";
export { requireRoot } from "./require-root.js";
