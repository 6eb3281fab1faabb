import { type Authority, formatIpv4 } from "../model/index.js";
import type { GateFinding, GateFindingCode } from "./finding.js";
import { one, when } from "./findings.js";
import { EGRESS_TRIALS, type EgressTrial, type ProbeResult } from "./observation.js";
import type { GateRequest } from "./request.js";

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

/** What was tried, and whether enough was. */
export const probeFindings = ({
  phase,
  policy,
  guest: { probes },
}: Pick<GateRequest, "phase" | "policy" | "guest">): readonly GateFinding[] => {
  const has = (authority: ProbeResult["authority"], expectation: ProbeResult["expectation"]) =>
    probes.some((probe) => probe.authority === authority && probe.expectation === expectation);
  // An authority whose every flow is denied, or allowed, has nothing to probe on the other side:
  // the gate stays shut all the same, since then nothing shows that the probe can tell.
  const unproven = (authority: Authority) =>
    !(has(authority, "reachable") && has(authority, "blocked"));
  const reached = probes.filter(
    (probe) => isOf(probe, "authority") && probe.expectation === "reachable",
  );
  return [
    ...probes
      .filter(({ passed }) => !passed)
      .map(({ authority, expectation, identity }) =>
        one(PROBE_CODES[authority][expectation], identity),
      ),
    ...when(unproven("scenario"), "boundary.scenario-probes-missing"),
    ...when(unproven("platform"), "boundary.platform-probes-missing"),
    ...reached
      .filter((probe) => !policy.egressAuthorities.some((signed) => isFor(probe, signed)))
      .map(({ identity }) => one("boundary.guest-unexpected-probes", identity)),
    ...(phase === "image-qualification"
      ? unprovenEgress(policy, probes).map((what) => one("boundary.egress-probes-missing", what))
      : []),
  ];
};

/** What of the way out wasn't tried. */
const unprovenEgress = (
  { egressAuthorities, egressResolvers }: GateRequest["policy"],
  probes: readonly ProbeResult[],
): readonly string[] => {
  const tried = (trial: EgressTrial, expectation: ProbeResult["expectation"]) =>
    probes.filter((probe) => isOf(probe, trial) && probe.expectation === expectation);
  return [
    ...egressAuthorities
      .filter((signed) => !tried("authority", "reachable").some((probe) => isFor(probe, signed)))
      .map(({ authority, port }) => `${authority}:${port}`),
    ...egressResolvers
      .map(formatIpv4)
      .filter(
        (address) => !tried("resolver", "reachable").some((one) => one.destination === address),
      )
      .map((address) => `resolver ${address}`),
    ...EGRESS_TRIALS.filter((trial) => trial !== "authority" && trial !== "resolver").filter(
      (trial) => tried(trial, "blocked").length === 0,
    ),
  ];
};

const isOf = ({ authority, trial: is }: ProbeResult, trial: EgressTrial): boolean =>
  authority === "egress" && is === trial;

const isFor = ({ destination, port }: ProbeResult, signed: Signed): boolean =>
  destination === signed.authority && port === signed.port;

type Signed = Pick<GateRequest["policy"]["egressAuthorities"][number], "authority" | "port">;
