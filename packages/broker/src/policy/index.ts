export { policyFromAllow } from "./allow.js";
export {
  type ApplianceOptions,
  type ProjectedAppliance,
  projectAppliance,
  projectReleased,
  type RequireReleased,
} from "./appliance.js";
export { APPLIANCE_SCHEMA, applianceJsonSchema } from "./appliance-schema.js";
export { policyBytesToSign } from "./bytes-to-sign.js";
export { type Decision, decide, type RequestForm, requestForm } from "./decide.js";
export { policyBytes, policyDocument } from "./document.js";
export { LIMIT_NAMES, LIMIT_RANGES, type LimitRange } from "./limits.js";
export { type LoadedPolicy, type LoadOptions, loadPolicy } from "./load.js";
export type {
  EgressGrant,
  EgressLimits,
  EgressPolicy,
  EgressProtocol,
  RequestRule,
  ResolverAddress,
} from "./model.js";
export {
  type PolicyFileOptions,
  parseEgressPolicy,
  policyFromDocument,
} from "./parse.js";
export { readPublicKey } from "./public-key-file.js";
export { parseResolver, resolversFromResolvConf } from "./resolvers.js";
export {
  DEFAULT_LIMITS,
  egressPolicyJsonSchema,
  POLICY_SCHEMA,
  type PolicyDocument,
  type PolicyInput,
  signedEgressPolicyJsonSchema,
} from "./schema.js";
export { type PolicySignature, parsePolicySignature } from "./signature.js";
export { parseSignedPolicy, type SignedPolicy, type SignedPolicyOptions } from "./signed.js";
export type { PolicyKeys } from "./trusted-key.js";
export { verifyPolicySignature } from "./verify-signature.js";
