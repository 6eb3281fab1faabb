import type { Authority } from "../model/index.js";
import type { GateFinding } from "./finding.js";
import { found, one, when } from "./findings.js";
import type { GateRequest } from "./request.js";

type Asked = Pick<GateRequest, "policy" | "binding" | "guest">;

/** What is wrong with what engine and kernel show of the appliance, and with how it was looked at. */
export const guestFindings = (request: Asked): readonly GateFinding[] => {
  const { policy, binding, guest } = request;
  return [
    ...when(guest.policyDigest !== policy.digest, "boundary.guest-policy-digest-mismatch"),
    ...when(guest.planDigest !== binding.planDigest, "boundary.guest-plan-digest-mismatch"),
    ...when(guest.bootId !== binding.guestBootId, "boundary.guest-boot-identity-mismatch"),
    ...when(guest.daemonId !== binding.guestDaemonId, "boundary.guest-daemon-identity-mismatch"),
    ...when(
      guest.workbenchPolicyVersion !== policy.workbenchPolicyVersion,
      "boundary.guest-workbench-policy-mismatch",
    ),
    ...when(!guest.complete, "boundary.guest-observation-incomplete"),
    ...when(guest.conflicts !== 0, "boundary.guest-authority-conflict"),
    ...found("boundary.guest-observation-gap", guest.gaps),
    ...found("boundary.guest-stray-port", guest.strayPorts),
    ...(guest.refused === null ? [] : [one("boundary.guest-binding-refused", guest.refused)]),
    ...enforcementFindings(request),
    ...found("boundary.image-missing", guest.images.missing),
    ...found("boundary.image-different", guest.images.different),
  ];
};

const enforcementFindings = ({ policy, binding, guest }: Asked): readonly GateFinding[] => {
  const of = (authority: Authority) =>
    guest.enforcements.filter((enforcement) => enforcement.authority === authority);
  const platform = of("platform");
  const scenario = of("scenario");
  return [
    ...when(platform.length === 0, "boundary.guest-enforcement-incomplete", "platform"),
    ...when(scenario.length === 0, "boundary.guest-scenario-enforcement-missing"),
    ...[platform, scenario].flatMap((found) =>
      when(found.length > 1, "boundary.guest-unexpected-enforcement", found[0]?.authority),
    ),
    ...platform.flatMap(({ sourceDigest }) =>
      when(sourceDigest !== policy.digest, "boundary.guest-platform-source-mismatch"),
    ),
    ...scenario.flatMap(({ sourceDigest }) =>
      when(sourceDigest !== binding.planDigest, "boundary.guest-scenario-source-mismatch"),
    ),
    ...guest.enforcements.flatMap((enforcement) => [
      ...when(
        !(enforcement.families.includes("inet") && enforcement.families.includes("bridge")),
        "boundary.guest-enforcement-incomplete",
        enforcement.authority,
      ),
      ...when(
        !enforcement.defaultDeny,
        "boundary.guest-default-deny-missing",
        enforcement.authority,
      ),
      ...found("boundary.guest-readback-difference", enforcement.differences),
      ...when(
        enforcement.meaningDifferences !== 0,
        "boundary.guest-meaning-difference",
        enforcement.authority,
      ),
    ]),
  ];
};
