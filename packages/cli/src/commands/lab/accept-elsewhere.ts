import { resolve } from "node:path";
import { type Digest, digestOfValue, isDrydockError } from "@drydock/evidence";
import {
  loadLabConfig,
  parseApprovalSignature,
  readOwnerOnly,
  requireApproval,
  type ToApprove,
} from "@drydock/lab";
import { verdictExitCode } from "../../exit.js";
import { visible } from "../../terminal/sanitise.js";
import { print } from "../context.js";
import type { Asked, LabAcceptFlags } from "./accept-asked.js";
import { listedApprovers } from "./approvers.js";

interface Refused {
  readonly verdict: "BLOCKED" | "NOT_PROVISIONED";
  readonly authorises: "nothing";
  readonly realAppliance: "NOT_PROVISIONED";
  readonly target: { readonly kind: "appliance"; readonly digest: Digest };
  readonly command: string;
  readonly adapter: Digest;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Guard: what isn't the stand-in isn't changed. Without a person's approval it is BLOCKED; with one
 * it is NOT_PROVISIONED, because nothing here can take the permission of an appliance away again, or
 * bring it back to a snapshot. Nothing is connected to, either way.
 *
 * @throws DrydockError LAB_INPUT_… of the lab's variables
 */
export const refuseElsewhere = (asked: Asked, flags: LabAcceptFlags): number => {
  const { target, identity, candidate } = loadLabConfig(process.env);
  const digest = digestOfValue({ ...target, identity, candidate });
  const { command, deadlineMs, adapter } = asked;
  const wanted: ToApprove = { command, adapter: adapter.digest, target: digest, deadlineMs };
  const blocked = whyBlocked(wanted, flags);
  const refused: Refused = {
    verdict: blocked === null ? "NOT_PROVISIONED" : "BLOCKED",
    ...{ authorises: "nothing", realAppliance: "NOT_PROVISIONED" },
    ...{ target: { kind: "appliance", digest }, command, adapter: adapter.digest },
    findings: [blocked ?? UNPROVISIONED],
  };
  print(flags, refused, describe(refused));
  return verdictExitCode(refused.verdict);
};

type Finding = Refused["findings"][number];

const UNPROVISIONED: Finding = {
  code: "LAB_NOT_PROVISIONED",
  message:
    "approved; but nothing here can take the permission of an appliance away again, or bring it back to a snapshot",
};

/** Null: a person has approved it. */
const whyBlocked = (
  wanted: ToApprove,
  { approval, approvalSignature }: LabAcceptFlags,
): Finding | null => {
  if (approval === undefined)
    return {
      code: "LAB_APPROVAL_MISSING",
      message:
        "it isn't the stand-in, and no person's approval of this command, adapter and target was given",
    };
  try {
    const path = resolve(approval);
    const bytes = readOwnerOnly(path, "approval");
    const signature = readOwnerOnly(resolve(approvalSignature ?? `${path}.sig.json`), "approval");
    requireApproval(
      bytes,
      parseApprovalSignature(signature),
      listedApprovers(),
      wanted,
      Date.now(),
    );
    return null;
  } catch (error) {
    if (!isDrydockError(error)) throw error;
    return { code: error.code, message: error.message };
  }
};

const describe = ({ verdict, target, command, adapter, findings }: Refused): string =>
  [
    `acceptance  ${verdict}; nothing was sent`,
    ...findings.map(({ code, message }) => `finding     ${code}: ${visible(message)}`),
    `command     ${visible(command)}`,
    `adapter     ${adapter}`,
    `target      ${target.kind} ${target.digest}`,
    "",
  ].join("\n");
