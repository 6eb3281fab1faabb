export {
  type BoundaryEvidence,
  type BoundaryEvidenceOptions,
  type BoundaryInputs,
  openBoundaryEvidence,
} from "./evidence.js";
