import type { Identifier } from "../contract/model.js";

/** Evidence as its signer signed it. */
export interface SignedEvidence {
  readonly authorityId: Identifier;
  readonly algorithm: Identifier;
  /** The bytes that the proof is over: framed, so that no other purpose's are the same. */
  readonly message: Uint8Array;
  readonly proof: Uint8Array;
}

/**
 * Whether the proof is the authority's, now. Asked within a transaction: it answers from what it
 * knows and does no I/O. What it throws counts as no.
 */
export type EvidenceVerifier = (evidence: SignedEvidence) => boolean;
