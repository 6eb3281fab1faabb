import { DrydockError, type JsonValue, ShapeError, type shape } from "@drydock/evidence";

/** Larger than any signature with its certificates. */
export const MAX_PROOF_BYTES = 64 * 1024;

/**
 * Evidence of a known shape with its proof, which is bytes and has no other.
 *
 * @throws DrydockError EVIDENCE_INVALID, which names fields and never what stands in them.
 */
export const readEvidence = <T extends object>(
  said: shape.Reader<T>,
  value: JsonValue,
  proof: unknown,
): T & { readonly proof: Uint8Array } => {
  if (!(proof instanceof Uint8Array)) throw invalid("a proof that isn't bytes");
  if (proof.length === 0) throw invalid("no proof");
  if (proof.length > MAX_PROOF_BYTES)
    throw invalid(`a proof of more than ${MAX_PROOF_BYTES} bytes`);
  try {
    return { ...said.read(value, "evidence"), proof };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw invalid(`${error.path} (${error.code})`);
  }
};

const invalid = (what: string): DrydockError =>
  new DrydockError("EVIDENCE_INVALID", `not evidence: ${what}`, {
    fix: "Sign the contract as it is shown, with nothing added or left out.",
  });
