export { type BoundaryGateOptions, boundaryGates } from "./boundary.js";
export { type EvidenceRef, GateEvaluator, type GateResult, worstOf } from "./evaluate.js";
export {
  type FieldTest,
  type Gate,
  gateReader,
  type Operand,
  type Outcome,
  type Prohibition,
  type RecordPattern,
  type Requirement,
  VERDICTS,
  type Verdict,
} from "./gate.js";
export { type LabGateOptions, labGates } from "./lab.js";
export { PLAIN_RUN_PROPOSITION, plainRunGates } from "./plain-run.js";
