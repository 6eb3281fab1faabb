export {
  type BoundaryEvidence,
  type BoundaryEvidenceOptions,
  type BoundaryInputs,
  openBoundaryEvidence,
} from "./evidence.js";
export { type BoundaryTime, listBoundaries } from "./list.js";
