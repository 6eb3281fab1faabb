export * from "./halt/index.js";
export type {
  Actor,
  Ledger,
  LedgerAudit,
  LedgerFault,
  Proposal,
  Proposed,
  RunFilter,
} from "./port.js";
export {
  difference,
  NOTHING,
  parseResources,
  plus,
  RESOURCE_NAMES,
  type ResourceName,
  type Resources,
} from "./resources/vector.js";
export type { LedgerEvent, LedgerRefusal } from "./rules/event.js";
export { type HaltGateAnswer, type HaltReading, haltGate } from "./rules/halt-gate.js";
export {
  isOccupying,
  isOpen,
  type Lease,
  type OwnerWitness,
  type RunOutcome,
  type RunRow,
  type RunState,
  type RunVerdict,
} from "./rules/row.js";
export { type RunStatus, runStatus } from "./rules/status.js";
export {
  committed,
  type LedgerDecision,
  type LedgerState,
  type LedgerStep,
  step as stepLedger,
} from "./rules/step.js";
export { openSqliteLedger, type SqliteLedgerOptions } from "./sqlite/store.js";
