export type { ConfirmationEvidence } from "./evidence.js";
export type { EvidenceVerifier, SignedEvidence } from "./verifier.js";
