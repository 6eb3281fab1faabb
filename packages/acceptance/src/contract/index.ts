export type {
  Cause,
  ContractEffect,
  ContractEvent,
  ContractEventType,
  ReconciliationOutcome,
  TransitionRecord,
} from "./event.js";
export { isOverdue } from "./expiry.js";
export {
  ARTIFACT_ROLES,
  CONTRACT_STATES,
  type ContractState,
  type ContractTerms,
  type HexDigest,
  type Identifier,
  type Millis,
  type ProtectedArtifacts,
  type RecoveryContract,
  type SeenContract,
} from "./model.js";
export { parseContract } from "./parse.js";
export { holdsTarget } from "./reservation.js";
export { begin, type ContractStep, step } from "./step.js";
export { mayTransition } from "./transitions.js";
