import {
  type GateFinding,
  type GateFindingCode,
  type GateRequest,
  trustedHostObservation,
} from "@drydock/boundary";
import type { Event } from "@drydock/evidence";

/** The first say what is wrong; a table that was replaced differs in every rule. */
const MAX_NAMES = 16;
const MAX_NAME = 256;
/** More can't be read; the gate's own record counts them all. */
const MAX_FINDINGS = 256;

/** What the gate saw, in the order in which it is judged, and what it answered. */
export const gateEvents = (
  request: GateRequest,
  findings: readonly GateFinding[],
  seed: Uint8Array,
): readonly Event[] => {
  const { guest, phase } = request;
  const differences = guest.enforcements.flatMap(({ differences: own }) => own).length;
  return [
    hostEvent(request, findings),
    ...guest.enforcements.map(
      ({ authority, rulesetDigest, differences: own }): Event => ({
        type: "boundary.readback",
        decision: own.length === 0 ? "match" : "mismatch",
        measurements: {
          authority,
          digest: rulesetDigest,
          differences: own.length,
          names: own.slice(0, MAX_NAMES).map(short),
        },
      }),
    ),
    ...meaningEvents(guest),
    ...guest.probes.map(
      ({ identity, authority, expectation, passed }): Event => ({
        type: "boundary.probe",
        decision: passed ? "passed" : "failed",
        measurements: { identity: short(identity), authority, expectation },
      }),
    ),
    holdersEvent(request, findings),
    ...findings.slice(0, MAX_FINDINGS).map(
      ({ code, about }): Event => ({
        type: "boundary.finding",
        measurements: { code, about: short(about ?? "") },
      }),
    ),
    {
      type: "boundary.gate",
      decision: findings.length === 0 ? "open" : "shut",
      measurements: {
        phase,
        findings: findings.length,
        seed: Buffer.from(seed).toString("hex"),
      },
    },
    {
      type: "boundary.end",
      decision: guest.complete && differences === 0 ? "standing" : "unknown",
      measurements: { differences, findings: findings.length },
    },
  ];
};

type HostDecision = "missing" | "invalid" | "untrusted" | "future" | "stale" | "mismatch" | "fresh";

/** What a look from outside is worth; what it shows is told by the findings. */
const WORTH: readonly (readonly [GateFindingCode, HostDecision])[] = [
  ["boundary.host-observation-missing", "missing"],
  ["boundary.host-observation-invalid", "invalid"],
  ["boundary.host-observation-content-mismatch", "invalid"],
  ["boundary.host-observation-untrusted", "untrusted"],
  ["boundary.host-observation-future", "future"],
  ["boundary.host-observation-stale", "stale"],
  ["boundary.host-observation-identity-mismatch", "mismatch"],
  ["boundary.host-policy-digest-mismatch", "mismatch"],
  ["boundary.host-payload-digest-mismatch", "mismatch"],
  ["boundary.host-boot-identity-mismatch", "mismatch"],
];

const hostEvent = (request: GateRequest, findings: readonly GateFinding[]): Event => {
  const codes = new Set(findings.map(({ code }) => code));
  const observation = trustedHostObservation(request)?.id;
  return {
    type: "boundary.host-observation",
    decision: WORTH.find(([code]) => codes.has(code))?.[1] ?? "fresh",
    measurements: observation === undefined ? {} : { observation },
  };
};

/** None where the rules couldn't be evaluated. */
const meaningEvents = ({
  cells,
  conflicts,
  gaps,
  enforcements,
}: GateRequest["guest"]): readonly Event[] => {
  if (cells === 0) return [];
  const differing = enforcements.reduce((sum, one) => sum + one.meaningDifferences, 0);
  // A gap may also be a flow that couldn't be tried; it shuts the gate by itself.
  const isEqual = differing === 0 && conflicts === 0;
  return [
    {
      type: "boundary.meaning",
      decision: isEqual ? "equal" : "differs",
      measurements: { cells, differing, conflicts, gaps: gaps.length },
    },
  ];
};

const holdersEvent = (
  { policy, guest: { holders } }: GateRequest,
  findings: readonly GateFinding[],
): Event => {
  const count = (...codes: readonly GateFindingCode[]): number =>
    findings.filter(({ code }) => codes.includes(code)).length;
  const unexpected = count(
    "boundary.docker-authority-unapproved",
    "boundary.docker-daemon-mismatch",
    "boundary.docker-authority-overprivileged",
  );
  const missing = count("boundary.docker-authority-missing");
  return {
    type: "boundary.holders",
    decision: unexpected === 0 && missing === 0 ? "exact" : "differs",
    measurements: {
      expected: policy.allowedHolders.length,
      found: holders.length,
      unexpected,
      missing,
    },
  };
};

const short = (text: string): string => unaddressed(text).slice(0, MAX_NAME);

/** A place is recorded by its name: `web@lan (10.60.1.8)` is a person's. */
const unaddressed = (text: string): string => text.replace(/ \((?:\d{1,3}\.){3}\d{1,3}\)/g, "");
