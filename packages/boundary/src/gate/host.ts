import { formatIpv4, type GuestPublication } from "../model/index.js";
import type { GateFinding } from "./finding.js";
import { found, one, when } from "./findings.js";
import {
  type HostListener,
  type HostObservation,
  isHostObservationSigned,
  readHostObservation,
  type SignedHostObservation,
} from "./host-observation.js";
import type { GateRequest } from "./request.js";

/** An observer's clock may be ahead by this much; more is a time that hasn't come. */
const CLOCK_SKEW_MS = 1_000;

/** What was handed over, as far as it may be believed, and otherwise why not. */
const trusted = ({
  hostObservation,
  hostKey,
}: GateRequest): SignedHostObservation | GateFinding => {
  if (hostObservation === null) return one("boundary.host-observation-missing");
  const signed = readHostObservation(hostObservation);
  if (signed === null) return one("boundary.host-observation-invalid");
  if (signed.keyId !== hostKey.keyId) return one("boundary.host-observation-untrusted");
  return isHostObservationSigned(signed, hostKey)
    ? signed
    : one("boundary.host-observation-content-mismatch");
};

/** null when there is none that the trusted key signed. */
export const trustedHostObservation = (request: GateRequest): SignedHostObservation | null => {
  const signed = trusted(request);
  return "code" in signed ? null : signed;
};

/** What is wrong with what somebody outside saw. Nothing that it says counts before it is trusted. */
export const hostFindings = (request: GateRequest): readonly GateFinding[] => {
  const signed = trusted(request);
  if ("code" in signed) return [signed];
  const { policy, release, binding, now } = request;
  const { observation, id } = signed;
  const age = now - Date.parse(observation.observedAt);
  return [
    ...when(
      observation.launch !== binding.launch ||
        (binding.hostObservationId !== null && binding.hostObservationId !== id),
      "boundary.host-observation-identity-mismatch",
    ),
    // Not a number where the text is no date: then it is neither fresh nor stale, and counts as both.
    ...when(
      !(age <= policy.observationFreshnessSeconds * 1_000),
      "boundary.host-observation-stale",
    ),
    ...when(!(age >= -CLOCK_SKEW_MS), "boundary.host-observation-future"),
    ...when(observation.policyDigest !== policy.digest, "boundary.host-policy-digest-mismatch"),
    ...when(
      observation.payloadDigest !== release.payloadDigest,
      "boundary.host-payload-digest-mismatch",
    ),
    ...when(observation.bootId !== binding.hostBootId, "boundary.host-boot-identity-mismatch"),
    ...when(
      !observation.complete || observation.forbidden.tried === 0,
      "boundary.host-observation-incomplete",
    ),
    ...when(observation.forbidden.reached > 0, "boundary.host-forbidden-reachability"),
    ...listenerFindings(observation, request),
  ];
};

const nameOf = ({ address, port, protocol }: HostListener) => `${protocol} ${address}:${port}`;

const isListenerOf =
  (publication: GuestPublication) =>
  ({ address, port, protocol, audience }: HostListener): boolean =>
    audience === publication.audience &&
    address === formatIpv4(publication.address) &&
    port === publication.port &&
    protocol === publication.protocol;

const listenerFindings = (
  { listeners }: HostObservation,
  { policy: { publications }, binding: { mappings } }: GateRequest,
): readonly GateFinding[] => {
  const unapproved = listeners.filter(
    (listener) => !publications.some((publication) => isListenerOf(publication)(listener)),
  );
  const missing = publications.filter((publication) => !listeners.some(isListenerOf(publication)));
  const mismapped = listeners.filter((listener) => {
    const { audience, guest } = listener;
    const laidDown = mappings.find(({ outer }) => isListenerOf(outer)(listener));
    // Outer and inner address are one identity: equal numbers that lead elsewhere are another one.
    if (laidDown === undefined) return audience === "host-mcp" || guest !== null;
    return guest?.address !== laidDown.guest.address || guest.port !== laidDown.guest.port;
  });
  return [
    ...found("boundary.host-listener-unapproved", unapproved.map(nameOf)),
    ...missing.map(({ audience }) => one("boundary.host-listener-missing", audience)),
    ...found("boundary.host-listener-mapping-mismatch", mismapped.map(nameOf)),
  ];
};
