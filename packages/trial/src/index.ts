export * from "./boundary/index.js";
export { TRUST_FILE } from "./contract/index.js";
export {
  type BoundaryTime,
  isClaimed,
  listBoundaries,
  listRehearsals,
  type RehearsalTime,
} from "./evidence/index.js";
export {
  haltNow,
  haltSignatureCheck,
  initialiseKeys,
  isThere,
  journalPaths,
  layoutOf,
  loadControllerKey,
  loadTrust,
  readHaltState,
  revokeKey,
  rotateKeys,
  type StateLayout,
  withKeyLock,
} from "./home/index.js";
export * from "./lab/index.js";
export * from "./launcher/index.js";
export * from "./lifecycle/index.js";
export * from "./quarantine/index.js";
export { isOwned, type Recovered, recoverRuns } from "./recovery/index.js";
export * from "./seal/index.js";
export * from "./spec/index.js";
export * from "./state/index.js";
