export { removeIfPresent, writeAtomic } from "./atomic.js";
export {
  derivationKey,
  derive,
  type Outputs,
} from "./derived.js";
export { type Digest, digestFile, digestOfHex, isDigest } from "./digest.js";
export { storeError, storeIoError } from "./errors.js";
export { keepOwner } from "./keep-owner.js";
export { acquireLock } from "./lock.js";
export { listNames, parseName, readName, removeName, setName } from "./names.js";
export {
  adoptExecutable,
  adoptFile,
  adoptObject,
  createObject,
  hasObject,
  objectPath,
  putBytes,
  readSmallObject,
  type StoredObject,
  verifiedObjectPath,
} from "./objects.js";
export { type Pruned, prune } from "./prune.js";
export { openStore, type Store, temporaryPath } from "./store.js";
