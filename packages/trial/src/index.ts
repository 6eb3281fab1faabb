export * from "./quarantine/index.js";
export * from "./seal/index.js";
export * from "./lifecycle/index.js";
export * from "./spec/index.js";
export * from "./state/index.js";
export { readHaltState, haltSignatureCheck, initialiseKeys, journalPaths, layoutOf, loadControllerKey, loadTrust, revokeKey, rotateKeys, type StateLayout } from "./home/index.js";
export * from "./launcher/index.js";
export { isOwned, type Recovered, recoverRuns } from "./recovery/index.js";
