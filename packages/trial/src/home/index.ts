export { haltSignatureCheck, readHaltState } from "./halt.js";
export { journalPaths, loadJournal, withJournal } from "./journal.js";
export {
  controllerTrust,
  initialiseKeys,
  loadControllerKey,
  loadTrust,
  revokeKey,
  rotateKeys,
} from "./keys.js";
export { layoutOf, type RunLayout, runLayout, type StateLayout } from "./layout.js";
