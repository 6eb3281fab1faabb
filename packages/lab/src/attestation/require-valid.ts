import { DrydockError } from "@drydock/evidence";
import type { Attestation } from "./attestation.js";

export const MAX_VALIDITY_MS = 10 * 60_000;
/** What two clocks may differ by. */
export const MAX_AHEAD_MS = 30_000;

export interface AttestedInputs {
  readonly identity: string;
  readonly candidate: string;
  /** Milliseconds since 1970, on the one clock of the run. */
  readonly now: number;
}

/**
 * Guard: an attestation is for these inputs and for now. It is asked before the first query and
 * after the last, since a word that expired meanwhile vouches for nothing that was read.
 *
 * @throws DrydockError LAB_ATTESTATION_ELSEWHERE, LAB_ATTESTATION_TIME, LAB_ATTESTATION_EXPIRED
 */
export const requireValid = (
  { labIdentity, candidate, issuedAt, expiresAt }: Attestation,
  inputs: AttestedInputs,
): void => {
  if (labIdentity !== inputs.identity || candidate !== inputs.candidate)
    throw refusal(
      "LAB_ATTESTATION_ELSEWHERE",
      `it is for another ${labIdentity === inputs.identity ? "candidate" : "lab"} than the inputs name`,
    );
  const validity = expiresAt - issuedAt;
  if (validity <= 0 || validity > MAX_VALIDITY_MS)
    throw refusal("LAB_ATTESTATION_TIME", "it isn't for up to ten minutes");
  if (issuedAt - inputs.now > MAX_AHEAD_MS)
    throw refusal("LAB_ATTESTATION_TIME", "it was issued more than 30 seconds in the future");
  if (inputs.now >= expiresAt) throw refusal("LAB_ATTESTATION_EXPIRED", "its time is over");
};

const refusal = (code: string, why: string): DrydockError =>
  new DrydockError(code, `the attestation is refused: ${why}`, {
    fix: "Look at the lab again and write a new one; nothing here writes or refreshes one.",
  });
