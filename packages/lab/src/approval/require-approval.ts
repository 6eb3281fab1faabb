import { type Authority, type Digest, DrydockError, digestOf, verifyIn } from "@drydock/evidence";
import type { Approval, ApprovalSignature } from "./approval.js";
import { parseApproval } from "./approval.js";

/** A person is there while it is used: longer ones get forgotten. */
export const MAX_APPROVAL_MS = 60 * 60_000;
/** What two clocks may differ by. */
export const MAX_APPROVAL_AHEAD_MS = 30_000;

/** What is about to be done, and may be done for so long. */
export interface ToApprove {
  readonly command: string;
  readonly adapter: Digest;
  readonly target: Digest;
  readonly deadlineMs: number;
}

export interface Approvers {
  /** Whom this machine's owner listed. */
  readonly authorities: readonly Authority[];
  /** Keys of programs of this machine, which are nobody's word whoever lists them. */
  readonly machine: readonly Digest[];
}

/**
 * Guard: somebody whom the machine's owner listed as a person who approves has signed exactly these
 * bytes, for exactly this command, adapter and target, and they hold until the rehearsal is over.
 *
 * @param now milliseconds since 1970
 * @throws DrydockError LAB_APPROVAL_…
 */
export const requireApproval = (
  bytes: Uint8Array,
  signature: ApprovalSignature,
  { authorities, machine }: Approvers,
  wanted: ToApprove,
  now: number,
): Approval => {
  const instant = new Date(now).toISOString();
  const signer = authorities.find(({ key }) => key.keyId === signature.keyId);
  if (
    signer === undefined ||
    machine.includes(signer.key.keyId) ||
    signer.revoked !== null ||
    !signer.namespaces.includes("approval") ||
    !signer.classes.includes("HUMAN_APPROVED") ||
    instant < signer.notBefore ||
    instant >= signer.notAfter
  )
    throw refusal("LAB_APPROVAL_SIGNER", "nobody who may approve now has signed it");
  const value = Buffer.from(signature.value, "base64");
  if (signature.digest !== digestOf(bytes) || !verifyIn("approval", bytes, value, signer.key))
    throw refusal("LAB_APPROVAL_SIGNATURE", "it isn't what was signed");
  const approval = parseApproval(bytes);
  for (const part of ["command", "adapter", "target"] as const)
    if (approval[part] !== wanted[part])
      throw refusal("LAB_APPROVAL_ELSEWHERE", `it is for another ${part}`);
  const { issuedAt, expiresAt } = approval;
  if (expiresAt <= issuedAt || expiresAt - issuedAt > MAX_APPROVAL_MS)
    throw refusal("LAB_APPROVAL_TIME", "it isn't for up to an hour");
  if (issuedAt - now > MAX_APPROVAL_AHEAD_MS)
    throw refusal("LAB_APPROVAL_TIME", "it was issued more than 30 seconds in the future");
  if (now + wanted.deadlineMs > expiresAt)
    throw refusal("LAB_APPROVAL_EXPIRED", "its time is over before the rehearsal's deadline");
  return approval;
};

const refusal = (code: string, why: string): DrydockError =>
  new DrydockError(code, `the approval is refused: ${why}`, {
    fix: "A person whom the owner of this machine lists as an approver writes and signs one for this very command, adapter and target.",
  });
