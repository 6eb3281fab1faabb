export { type CanonicalValue, canonicalBytes } from "./canonicalise.js";
export {
  historyHeadDigest,
  idempotencyKey,
  intentDigest,
  type Scope,
  snapshotDigest,
  targetFingerprint,
  targetIdentityDigest,
} from "./digests.js";
export { framed } from "./frame.js";
export { DOMAIN, purposeBytes, sha256Hex } from "./purpose.js";
