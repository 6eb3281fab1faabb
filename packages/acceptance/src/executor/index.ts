export type { ExecutionPolicy } from "./authorises.js";
export { createExecutor, type Executor } from "./executor.js";
export { observe } from "./observe.js";
export type { ExecutorOptions } from "./options.js";
export type { Delivery, ExecutionOutcome, RollbackOutcome } from "./outcome.js";
export { CONTRACT_TTL_MS, type PrepareOptions } from "./prepare.js";
