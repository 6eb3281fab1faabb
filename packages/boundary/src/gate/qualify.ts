import type { GateFinding } from "./finding.js";
import { one, when } from "./findings.js";
import { guestFindings } from "./guest.js";
import { holderFindings } from "./holders.js";
import { hostFindings } from "./host.js";
import { probeFindings } from "./probes.js";
import type { GateRequest } from "./request.js";

/**
 * The boundary's gate, the same for an image's qualification and for every start. Open exactly when
 * it finds nothing.
 */
export const qualify = (request: GateRequest): readonly GateFinding[] => [
  ...when(
    request.release.boundary.policyDigest !== request.policy.digest,
    "boundary.release-policy-digest-mismatch",
  ),
  ...hostFindings(request),
  ...guestFindings(request),
  ...probeFindings(request),
  ...holderFindings(request),
  ...(request.policy.hostMcpContract === null ? [] : [one("boundary.host-mcp-not-provisioned")]),
  ...when(request.development, "boundary.development"),
];

/** What keeps a gate shut that was open before: all that an appliance shows without being probed. */
export const driftFindings = (
  request: Pick<GateRequest, "policy" | "binding" | "guest">,
): readonly GateFinding[] => [...guestFindings(request), ...holderFindings(request)];
