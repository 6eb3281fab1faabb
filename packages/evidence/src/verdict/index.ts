export { type EarlierAttempts, summariseAttempts } from "./attempts.js";
export { type ConcludeOptions, type Conclusion, concludeRun } from "./conclude.js";
export {
  type Completeness,
  type DerivedVerdict,
  deriveVerdict,
  type Integrity,
  type Judged,
  type LogToJudge,
  VerdictFold,
} from "./derive.js";
export {
  DSSE_PAYLOAD_TYPE,
  type OpenedEnvelope,
  openEnvelope,
  preAuthenticationEncoding,
  signEnvelope,
} from "./dsse.js";
export { readGates } from "./read-gates.js";
export { readVerdict } from "./read-verdict.js";
export {
  parseStatement,
  statementBytes,
  VERDICT_PREDICATE_TYPE,
  type VerdictPredicate,
  type VerdictStatement,
  verdictSchema,
} from "./statement.js";
