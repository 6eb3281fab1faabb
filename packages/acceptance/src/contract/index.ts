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
  type ArtifactRole,
  CONTRACT_STATES,
  type Confirmation,
  type ContractState,
  type ContractTerms,
  type HexDigest,
  type Identifier,
  type InterruptedState,
  isTerminal,
  type Millis,
  type ProtectedArtifacts,
  type RecoveryContract,
  type SeenContract,
} from "./model.js";
export { parseContract } from "./parse.js";
export { holdsTarget } from "./reservation.js";
export { begin, type ContractStep, step } from "./step.js";
export { mayTransition } from "./transitions.js";
