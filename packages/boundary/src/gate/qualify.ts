import type { Digest, PublicKey } from "@drydock/evidence";
import {
  type AppliancePolicy,
  type Audience,
  type Authority,
  formatIpv4,
  type GuestPublication,
} from "../model/index.js";
import type { ReleaseManifest } from "../release/index.js";
import type { GateFinding, GateFindingCode } from "./finding.js";
import {
  type HostListener,
  isHostObservationSigned,
  readHostObservation,
  type SignedHostObservation,
} from "./host-observation.js";
import type { GuestObservation, ProbeResult } from "./observation.js";

export type GatePhase = "image-qualification" | "start";

/** What a launcher bound this appliance to, before it started. */
export interface GateBinding {
  readonly planDigest: Digest;
  readonly hostBootId: string;
  readonly guestBootId: string;
  readonly guestDaemonId: string;
  /** null: any observation that is fresh and signed. */
  readonly hostObservationId: Digest | null;
  /** Where each signed publication leads inside of the appliance; null where it isn't laid down. */
  readonly mappings: readonly {
    readonly audience: Audience;
    readonly guest: { readonly address: string; readonly port: number };
  }[];
}

export interface GateRequest {
  readonly phase: GatePhase;
  readonly policy: AppliancePolicy;
  readonly release: ReleaseManifest;
  readonly binding: GateBinding;
  /** As handed over; null: there is none. */
  readonly hostObservation: Uint8Array | null;
  /** Supplied apart from the observation. */
  readonly hostKey: PublicKey;
  readonly guest: GuestObservation;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly development: boolean;
}

/** An observer's clock may be ahead by this much; more is a time that hasn't come. */
const CLOCK_SKEW_MS = 1_000;

/**
 * The boundary's gate, the same for an image's qualification and for every start. Open exactly when
 * it finds nothing.
 */
export const qualify = (request: GateRequest): readonly GateFinding[] => [
  ...hostFindings(request),
  ...guestFindings(request),
  ...enforcementFindings(request),
  ...probeFindings(request),
  ...holderFindings(request),
  ...found("boundary.image-missing", request.guest.images.missing),
  ...found("boundary.image-different", request.guest.images.different),
  ...(request.policy.hostMcpContract === null ? [] : [one("boundary.host-mcp-not-provisioned")]),
  ...(request.development ? [one("boundary.development")] : []),
];

const one = (code: GateFindingCode, about: string | null = null): GateFinding => ({ code, about });

const found = (code: GateFindingCode, abouts: readonly string[]): readonly GateFinding[] =>
  abouts.map((about) => one(code, about));

const when = (condition: boolean, code: GateFindingCode): readonly GateFinding[] =>
  condition ? [one(code)] : [];

const hostFindings = (request: GateRequest): readonly GateFinding[] => {
  if (request.hostObservation === null) return [one("boundary.host-observation-missing")];
  const signed = readHostObservation(request.hostObservation);
  if (signed === null) return [one("boundary.host-observation-invalid")];
  if (signed.keyId !== request.hostKey.keyId) {
    return [one("boundary.host-observation-untrusted")];
  }
  // Nothing that it says counts before this.
  if (!isHostObservationSigned(signed, request.hostKey)) {
    return [one("boundary.host-observation-content-mismatch")];
  }
  const { policy, release, binding, now } = request;
  const { observation } = signed;
  const age = now - Date.parse(observation.observedAt);
  return [
    ...when(
      binding.hostObservationId !== null && binding.hostObservationId !== signed.id,
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
    ...listenerFindings(signed, request),
  ];
};

const nameOf = ({ address, port, protocol }: Pick<HostListener, "address" | "port" | "protocol">) =>
  `${protocol} ${address}:${port}`;

const isListenerOf =
  (publication: GuestPublication) =>
  ({ address, port, protocol, audience }: HostListener): boolean =>
    audience === publication.audience &&
    address === formatIpv4(publication.address) &&
    port === publication.port &&
    protocol === publication.protocol;

const listenerFindings = (
  { observation: { listeners } }: SignedHostObservation,
  { policy: { publications }, binding: { mappings } }: GateRequest,
): readonly GateFinding[] => {
  const unapproved = listeners.filter(
    (listener) => !publications.some((publication) => isListenerOf(publication)(listener)),
  );
  const missing = publications.filter((publication) => !listeners.some(isListenerOf(publication)));
  const mismapped = listeners.filter(({ audience, guest }) => {
    const mapping = mappings.find((laidDown) => laidDown.audience === audience);
    // Outer and inner address are one identity: equal numbers that lead elsewhere are another one.
    if (mapping === undefined) return audience === "host-mcp" && guest === null;
    return guest?.address !== mapping.guest.address || guest.port !== mapping.guest.port;
  });
  return [
    ...found("boundary.host-listener-unapproved", unapproved.map(nameOf)),
    ...missing.map(({ audience }) => one("boundary.host-listener-missing", audience)),
    ...found("boundary.host-listener-mapping-mismatch", mismapped.map(nameOf)),
  ];
};

const guestFindings = ({ policy, binding, guest }: GateRequest): readonly GateFinding[] => [
  ...when(guest.policyDigest !== policy.digest, "boundary.guest-policy-digest-mismatch"),
  ...when(guest.planDigest !== binding.planDigest, "boundary.guest-plan-digest-mismatch"),
  ...when(guest.bootId !== binding.guestBootId, "boundary.guest-boot-identity-mismatch"),
  ...when(guest.daemonId !== binding.guestDaemonId, "boundary.guest-daemon-identity-mismatch"),
  ...when(
    guest.workbenchPolicyVersion !== policy.workbenchPolicyVersion,
    "boundary.guest-workbench-policy-mismatch",
  ),
  ...when(!guest.complete, "boundary.guest-observation-incomplete"),
  ...when(guest.conflicts > 0, "boundary.guest-authority-conflict"),
  ...found("boundary.guest-observation-gap", guest.gaps),
  ...(guest.refused === null ? [] : [one("boundary.guest-binding-refused", guest.refused)]),
];

const enforcementFindings = ({ policy, binding, guest }: GateRequest): readonly GateFinding[] => {
  const of = (authority: Authority) =>
    guest.enforcements.filter((enforcement) => enforcement.authority === authority);
  const platform = of("platform");
  const scenario = of("scenario");
  return [
    ...when(platform.length !== 1, "boundary.guest-enforcement-incomplete"),
    ...when(scenario.length !== 1, "boundary.guest-scenario-enforcement-missing"),
    ...platform.flatMap(({ sourceDigest, defaultDeny }) => [
      ...when(sourceDigest !== policy.digest, "boundary.guest-platform-source-mismatch"),
      ...when(!defaultDeny, "boundary.guest-default-deny-missing"),
    ]),
    ...scenario.flatMap(({ sourceDigest }) =>
      when(sourceDigest !== binding.planDigest, "boundary.guest-scenario-source-mismatch"),
    ),
    ...guest.enforcements.flatMap(({ authority, families, differences, meaningDifferences }) => [
      ...(families.includes("inet") && families.includes("bridge")
        ? []
        : [one("boundary.guest-enforcement-incomplete", authority)]),
      ...found("boundary.guest-readback-difference", differences),
      ...(meaningDifferences === 0 ? [] : [one("boundary.guest-meaning-difference", authority)]),
    ]),
  ];
};

const PROBE_CODES = {
  scenario: {
    reachable: "boundary.scenario-positive-probe-failed",
    blocked: "boundary.scenario-negative-probe-failed",
  },
  platform: {
    reachable: "boundary.platform-positive-probe-failed",
    blocked: "boundary.platform-negative-probe-failed",
  },
  egress: {
    reachable: "boundary.egress-probe-failed",
    blocked: "boundary.egress-probe-failed",
  },
} as const satisfies Record<
  ProbeResult["authority"],
  Record<ProbeResult["expectation"], GateFindingCode>
>;

const probeFindings = ({
  phase,
  policy,
  guest: { probes },
}: GateRequest): readonly GateFinding[] => {
  const has = (authority: ProbeResult["authority"], expectation: ProbeResult["expectation"]) =>
    probes.some((probe) => probe.authority === authority && probe.expectation === expectation);
  // An authority whose every flow is denied, or allowed, has nothing to probe on the other side:
  // the gate stays shut all the same, since then nothing shows that the probe can tell.
  const unproven = (authority: Authority) =>
    !(has(authority, "reachable") && has(authority, "blocked"));
  const egress = probes.filter(({ authority }) => authority === "egress");
  const reached = egress.filter(({ expectation }) => expectation === "reachable");
  return [
    ...probes
      .filter(({ passed }) => !passed)
      .map(({ authority, expectation, identity }) =>
        one(PROBE_CODES[authority][expectation], identity),
      ),
    ...when(unproven("scenario"), "boundary.scenario-probes-missing"),
    ...when(unproven("platform"), "boundary.platform-probes-missing"),
    ...when(
      phase === "image-qualification" &&
        (reached.length < policy.egressAuthorities.length || !has("egress", "blocked")),
      "boundary.egress-probes-missing",
    ),
  ];
};

const holderFindings = ({ binding, guest }: GateRequest): readonly GateFinding[] => [
  ...found(
    "boundary.docker-authority-unapproved",
    guest.holders.filter(({ selector }) => selector === null).map(({ identity }) => identity),
  ),
  ...found(
    "boundary.docker-daemon-mismatch",
    guest.holders
      .filter(({ daemonId }) => daemonId !== binding.guestDaemonId)
      .map(({ identity }) => identity),
  ),
  ...found(
    "boundary.docker-authority-overprivileged",
    guest.holders
      .filter(({ overprivileged }) => overprivileged.length > 0)
      .map(({ identity }) => identity),
  ),
  ...found("boundary.docker-authority-missing", guest.missingHolders),
];
