export { CheckThread } from "./check-thread.js";
export { watchBoundary } from "./driver.js";
export type { WatchPorts, WatchRequest } from "./ports.js";
export { raisePriority } from "./raise-priority.js";
export { ruleEvents } from "./rule-events.js";
export {
  step,
  type WatchEffect,
  type WatchEvent,
  type WatchState,
  watching,
} from "./step.js";
