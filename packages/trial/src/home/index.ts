export { environmentKey } from "./environment-key.js";
export { haltNow, haltSignatureCheck, readHaltState } from "./halt.js";
export { isThere } from "./is-there.js";
export { journalPaths, withJournal } from "./journal.js";
export {
  initialiseKeys,
  loadControllerKey,
  loadTrust,
  revokeKey,
  rotateKeys,
} from "./keys.js";
export { layoutOf, type RunLayout, runLayout, type StateLayout } from "./layout.js";
export { withKeyLock } from "./with-key-lock.js";
