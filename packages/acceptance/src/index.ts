/** A change to an appliance under a recovery contract: contracts, their store, the sealed executor, adapters. */

export * from "./adapter/index.js";
export { pfsenseAliasDescription } from "./adapters/pfsense-alias-description/index.js";
export { syntheticNotice } from "./adapters/synthetic-notice/index.js";
export type { ArtifactMasterKey, Entropy } from "./artifact/index.js";
export * from "./client/index.js";
export { ACCEPTANCE_CODES, type AcceptanceCode } from "./codes.js";
export {
  type ConfirmationEvidence,
  confirmationMessage,
  ED25519,
  type EvidenceVerifier,
  ed25519Verifier,
  type SignedEvidence,
} from "./confirmation/index.js";
export * from "./conformance/index.js";
export {
  type Cause,
  CONTRACT_STATES,
  type ContractState,
  type HexDigest,
  type Identifier,
  type Millis,
  type ReconciliationOutcome,
  type RecoveryContract,
  type SeenContract,
  type TransitionRecord,
} from "./contract/index.js";
export * from "./executor/index.js";
export { HISTORY_SOURCES } from "./history/index.js";
export { RATE_LIMITS } from "./rate/index.js";
export { type ReconciliationEvidence, reconciliationMessage } from "./reconciliation/index.js";
export * from "./store/index.js";
