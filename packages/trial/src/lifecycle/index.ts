export type {
  CommandRejection,
  CommandVerb,
  Conclusion,
  Effect,
  LifecycleRecord,
  LifecycleResult,
  Settlement,
  Task,
  TaskKind,
} from "./effect.js";
export {
  capVerdict,
  type Ending,
  endingCode,
  type VerdictCeiling,
  verdictCeiling,
} from "./ending.js";
export type { LifecycleEvent, TaskResult, TaskValue } from "./event.js";
export { ORDERLY_PHASES, type OrderlyPhase, type Phase } from "./phase.js";
export {
  CONTROL_CHANNEL,
  type Deadlines,
  type LifecyclePlan,
  MAX_CONCURRENT_COMMANDS,
} from "./plan.js";
export { initialState, type LifecycleState } from "./state.js";
export { type LifecycleStep, step } from "./step.js";
