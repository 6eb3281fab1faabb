export { createRunCa, type RunCa, type RunCaOptions, type ServerIdentity } from "./ca.js";
export type {
  HttpVersion,
  TerminateEvent,
  TerminateLimits,
  TerminateOptions,
  TerminateOutcome,
  Termination,
} from "./model.js";
export { terminate } from "./terminate.js";
export {
  createTerminator,
  isTerminated,
  type TerminateSession,
  type TerminatorOptions,
  terminatedHosts,
} from "./terminator.js";
export { IMAGE_ROOTS, trustEnvironment } from "./trust.js";
