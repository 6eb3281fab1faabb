export { type AcceptedEvidence, acceptConfirmation, refuseEvidence } from "./accept.js";
export { ED25519, ed25519Verifier } from "./ed25519.js";
export type { ConfirmationEvidence } from "./evidence.js";
export { confirmationMessage } from "./message.js";
export { isProven } from "./proof.js";
export { readEvidence } from "./read.js";
export { isTimely } from "./timeliness.js";
export type { EvidenceVerifier, SignedEvidence } from "./verifier.js";
