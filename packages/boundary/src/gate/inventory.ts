import { type Digest, quote } from "@drydock/evidence";
import { type Coarse, GATE_FINDINGS, type GateFinding } from "./finding.js";
import { trustedHostObservation } from "./host.js";
import type { GateRequest } from "./request.js";

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
  /** null: there is none that the trusted key signed. */
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

/** Lists are cut, and what was cut is counted. */
export const inventoryOf = (request: GateRequest, findings: readonly GateFinding[]): Inventory => {
  const { phase, policy, release, binding, guest } = request;
  const signed = trustedHostObservation(request);
  return {
    schema: INVENTORY_SCHEMA,
    phase,
    policy: { id: policy.id, generation: policy.generation, digest: policy.digest },
    payloadDigest: release.payloadDigest,
    planDigest: binding.planDigest,
    images: { helper: release.boundary.helperImage, proxy: release.boundary.proxyImage },
    hostBootId: binding.hostBootId,
    guestBootId: binding.guestBootId,
    workbenchPolicyVersion:
      guest.workbenchPolicyVersion === null ? null : shown(guest.workbenchPolicyVersion),
    host:
      signed === null ? null : { observationId: signed.id, complete: signed.observation.complete },
    guest: {
      daemonId: shown(guest.daemonId),
      complete: guest.complete,
      enforcements: guest.enforcements
        .slice(0, MAX_LISTED)
        .map(({ authority, sourceDigest, rulesetDigest }) => ({
          authority,
          sourceDigest,
          rulesetDigest,
        })),
      probes: {
        passed: guest.probes.filter(({ passed }) => passed).length,
        failed: guest.probes.filter(({ passed }) => !passed).length,
      },
      holders: guest.holders.slice(0, MAX_LISTED).map(({ identity, selector, access }) => ({
        identity: shown(identity),
        selector: selector === null ? null : shown(selector),
        access,
      })),
    },
    findings: findings
      .slice(0, MAX_LISTED)
      .map(({ code, about }) => ({ code, about: about === null ? null : shown(about) })),
    further: Math.max(0, findings.length - MAX_LISTED),
    passed: findings.length === 0,
  };
};

/** Names come from containers: what a terminal might take for more than text is spelt out. */
const shown = (text: string): string => (/^[ -~]{1,200}$/.test(text) ? text : quote(text));

/** All that a participant is told: ready, or whom to wait for. */
export const readinessFor = (findings: readonly GateFinding[]): "ready" | Coarse => {
  if (findings.length === 0) return "ready";
  return findings.some(({ code }) => GATE_FINDINGS[code].coarse === "needs-operator")
    ? "needs-operator"
    : "not-ready";
};
