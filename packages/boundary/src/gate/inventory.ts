import { type Digest, quote } from "@drydock/evidence";
import { type Coarse, GATE_FINDINGS, type GateFinding } from "./finding.js";
import { readHostObservation } from "./host-observation.js";
import type { GateRequest } from "./qualify.js";

export const INVENTORY_SCHEMA = "drydock.boundary-inventory/v1";

/** A report that nobody can read helps nobody; what is left out is counted. */
const MAX_LISTED = 256;

/** What the gate found, for a machine: digests, identities and outcomes, no rule and no value. */
export interface Inventory {
  readonly schema: typeof INVENTORY_SCHEMA;
  readonly phase: GateRequest["phase"];
  readonly policy: { readonly id: string; readonly generation: number; readonly digest: Digest };
  readonly payloadDigest: Digest;
  readonly planDigest: Digest;
  readonly images: { readonly helper: string; readonly proxy: string };
  readonly hostBootId: string;
  readonly guestBootId: string;
  /** Where the workbench policy version was read. */
  readonly workbenchPolicyVersion: string | null;
  readonly host: { readonly observationId: Digest; readonly complete: boolean } | null;
  readonly guest: {
    readonly daemonId: string;
    readonly complete: boolean;
    readonly enforcements: readonly {
      readonly authority: string;
      readonly sourceDigest: Digest;
      readonly rulesetDigest: Digest;
    }[];
    readonly probes: { readonly passed: number; readonly failed: number };
    readonly holders: readonly {
      readonly identity: string;
      readonly selector: string | null;
      readonly access: string;
    }[];
  };
  readonly findings: readonly GateFinding[];
  /** Found beyond those that are listed. */
  readonly further: number;
  readonly passed: boolean;
}

/** Names come from containers, so they are quoted; lists are cut. */
export const inventoryOf = (
  { phase, policy, release, binding, hostObservation, guest }: GateRequest,
  findings: readonly GateFinding[],
): Inventory => {
  const signed = hostObservation === null ? null : readHostObservation(hostObservation);
  return {
    schema: INVENTORY_SCHEMA,
    phase,
    policy: { id: policy.id, generation: policy.generation, digest: policy.digest },
    payloadDigest: release.payloadDigest,
    planDigest: binding.planDigest,
    images: { helper: release.boundary.helperImage, proxy: release.boundary.proxyImage },
    hostBootId: binding.hostBootId,
    guestBootId: binding.guestBootId,
    workbenchPolicyVersion: guest.workbenchPolicyVersion,
    host:
      signed === null ? null : { observationId: signed.id, complete: signed.observation.complete },
    guest: {
      daemonId: guest.daemonId,
      complete: guest.complete,
      enforcements: guest.enforcements.map(({ authority, sourceDigest, rulesetDigest }) => ({
        authority,
        sourceDigest,
        rulesetDigest,
      })),
      probes: {
        passed: guest.probes.filter(({ passed }) => passed).length,
        failed: guest.probes.filter(({ passed }) => !passed).length,
      },
      holders: guest.holders.slice(0, MAX_LISTED).map(({ identity, selector, access }) => ({
        identity: quote(identity),
        selector,
        access,
      })),
    },
    findings: findings
      .slice(0, MAX_LISTED)
      .map(({ code, about }) => ({ code, about: about === null ? null : quote(about) })),
    further: Math.max(0, findings.length - MAX_LISTED),
    passed: findings.length === 0,
  };
};

/** All that a participant is told: ready, or whom to wait for. */
export const readinessFor = (findings: readonly GateFinding[]): "ready" | Coarse => {
  if (findings.length === 0) return "ready";
  return findings.some(({ code }) => GATE_FINDINGS[code].coarse === "needs-operator")
    ? "needs-operator"
    : "not-ready";
};
