export { type Abandoned, clearAbandoned } from "./abandoned.js";
export { deadlineFor, MAX_REPEAT } from "./bounds.js";
export type {
  EndCause,
  LeftContract,
  Rehearsal,
  RehearsalEvent,
  RehearsalOptions,
  RehearsalReport,
  SupervisedExit,
} from "./model.js";
export { startRehearsal } from "./start-rehearsal.js";
