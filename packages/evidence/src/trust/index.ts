export { delegationMeasurements } from "./delegate.js";
export { delegatedAuthority } from "./delegated-authority.js";
export { mayAssert } from "./may-assert.js";
export { maySign } from "./may-sign.js";
export {
  type Authority,
  parseTrust,
  TRUST_SCHEMA,
  type Trust,
  type TrustEntry,
  type TrustFile,
  trustFrom,
  trustSchema,
} from "./trust.js";
