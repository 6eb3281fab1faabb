export { type CanonicalComparison, compareCanonical } from "./canonical/compare.js";
export type { CanonicalField, CanonicalObservation } from "./canonical/observation.js";
export {
  OBSERVATION_LIMITS,
  type ObservationLimits,
  observeCanonical,
} from "./canonical/observe.js";
export { type SealErrorCode, sealError } from "./errors.js";
export { directGitRunner } from "./git/direct-runner.js";
export {
  findSystemPaths,
  type GitJail,
  jailedGitRunner,
  SEALER_ID,
  type SystemPath,
} from "./git/jailed-runner.js";
export type { Uncommitted } from "./git/parse-status.js";
export { requireGitProgram } from "./git/program.js";
export type { GitCall, GitExit, GitProcess, GitRunner } from "./git/runner.js";
export { SEAL_LIMITS, type SealLimits } from "./limits.js";
export { sealSource } from "./seal.js";
export {
  checkSourceArguments,
  type PathKind,
  type SourceArguments,
} from "./source/check-arguments.js";
export { describeNote } from "./source/describe-note.js";
export { lookAtPath } from "./source/look.js";
export { manifestSource } from "./source/manifest.js";
export type { SourceRequest } from "./source/request.js";
export {
  isEligibleForTier,
  type SealedIdentity,
  type SealedSource,
  type SealNote,
  type SealPorts,
} from "./source/result.js";
