export { CANDIDATE_FORM, isCandidate } from "./candidate.js";
export { LabCredential, readCredential } from "./credential.js";
export { LAB_VARIABLES, type LabConfig, labEnvironment, loadLabConfig } from "./lab-config.js";
export { readOwnerOnly } from "./owner-only.js";
