export {
  type LabEvidence,
  type LabEvidenceOptions,
  type LabInputs,
  openLabEvidence,
} from "./evidence.js";
export { quarantineEvidence } from "./quarantine.js";
