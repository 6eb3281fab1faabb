export { effectiveEnvironment } from "./commit-environment.js";
export { ensureDirectories, ensureState } from "./home.js";
export { launchRun } from "./launch-run.js";
export type { Finished } from "./lost.js";
export type { LaunchEgress, LaunchOptions } from "./options.js";
export { WORK_DIRECTORY } from "./order.js";
export { findProgramRoot, type Program } from "./program.js";
export { requireRoot } from "./require-root.js";
export type { CommandEnd, LaunchedRun } from "./run-launch.js";
