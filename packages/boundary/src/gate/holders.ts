import { formatSelector } from "../policy/index.js";
import type { GateFinding } from "./finding.js";
import { found } from "./findings.js";
import type { AuthorityHolder } from "./observation.js";
import type { GateRequest } from "./request.js";

/** Who can tell the engine what to do, against the policy's own list: the observation's word isn't taken for it. */
export const holderFindings = ({
  policy,
  binding,
  guest: { holders, missingHolders },
}: Pick<GateRequest, "policy" | "binding" | "guest">): readonly GateFinding[] => {
  const signed = policy.allowedHolders.map(formatSelector);
  const named = (is: (holder: AuthorityHolder) => boolean) =>
    holders.filter(is).map(({ identity }) => identity);
  const absent = signed.filter((one) => !holders.some(({ selector }) => selector === one));
  return [
    ...found(
      "boundary.docker-authority-unapproved",
      named(({ selector }) => selector === null || !signed.includes(selector)),
    ),
    ...found(
      "boundary.docker-daemon-mismatch",
      named(({ daemonId }) => daemonId !== binding.guestDaemonId),
    ),
    ...found(
      "boundary.docker-authority-overprivileged",
      named(({ overprivileged }) => overprivileged.length > 0),
    ),
    ...found("boundary.docker-authority-missing", [...new Set([...missingHolders, ...absent])]),
  ];
};
