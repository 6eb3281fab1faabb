import type { EvidenceVerifier, SignedEvidence } from "./verifier.js";

/**
 * Whether a configured verifier accepts the proof, with `true` and nothing that is like it. None is
 * no; one that throws is no, and what it threw isn't passed on, since it could quote the proof.
 */
export const isProven = (evidence: SignedEvidence, verifier: EvidenceVerifier | null): boolean => {
  if (verifier === null) return false;
  try {
    return verifier(evidence) === true;
  } catch {
    // See above: a failing verifier has accepted nothing.
    return false;
  }
};
