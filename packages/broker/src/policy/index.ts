export { type Decision, decide, type RequestForm } from "./decide.js";
export { LIMIT_NAMES, LIMIT_RANGES, type LimitRange } from "./limits.js";
export type {
  EgressGrant,
  EgressLimits,
  EgressPolicy,
  EgressProtocol,
  RequestRule,
  ResolverAddress,
} from "./model.js";
