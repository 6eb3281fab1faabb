export { ensureState } from "./home.js";
export {
  type CommandEnd,
  type Finished,
  type LaunchedRun,
  type LaunchOptions,
  launchRun,
  WORK_DIRECTORY,
} from "./launch-run.js";
export { findProgramRoot, type Program } from "./program.js";
