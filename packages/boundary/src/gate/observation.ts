import type { Digest } from "@drydock/evidence";
import type { Authority, Protocol } from "../model/index.js";

/** One authority's rules as the kernel holds them. */
export interface Enforcement {
  readonly authority: Authority;
  /** Plan digest or policy digest: what the rules were made from. */
  readonly sourceDigest: Digest;
  /** Of the ruleset, read back. */
  readonly rulesetDigest: Digest;
  readonly families: readonly ("inet" | "bridge")[];
  /** The exhaustive check found no packet that passes without somebody's word. */
  readonly defaultDeny: boolean;
  /** Places where the kernel differs from what was written; names of rules, no values. */
  readonly differences: readonly string[];
  /** Packets that are decided otherwise than is meant. */
  readonly meaningDifferences: number;
}

/**
 * What the way out is tried with. `authority`: a signed one, through the broker. `resolver`: a signed
 * one, from the egress anchor. The others must not get out: through the broker an unlisted name and
 * a denied address, at the firewall a denied range, and past both whatever is asked directly.
 */
export const EGRESS_TRIALS = [
  "authority",
  "resolver",
  "unlisted-name",
  "denied-range",
  "direct-tcp",
  "direct-udp",
  "direct-ntp",
  "direct-dns",
] as const;
export type EgressTrial = (typeof EGRESS_TRIALS)[number];

/** A flow that was tried from inside of its source. */
export interface ProbeResult {
  readonly identity: string;
  readonly authority: Authority | "egress";
  /** null: none of the way out. */
  readonly trial: EgressTrial | null;
  readonly source: string;
  readonly destination: string;
  readonly protocol: Protocol;
  readonly port: number | null;
  readonly expectation: "reachable" | "blocked";
  readonly passed: boolean;
}

/** Somebody who can tell the engine what to do. */
export interface AuthorityHolder {
  /** A container's name, or what of the host. */
  readonly identity: string;
  /** The allowed label that it bears; null: none. */
  readonly selector: string | null;
  readonly daemonId: string;
  readonly access: "socket" | "api" | "host";
  readonly overprivileged: readonly string[];
}

/** What was seen of the appliance from within: engine, kernel and probes. */
export interface GuestObservation {
  readonly policyDigest: Digest;
  readonly planDigest: Digest;
  readonly bootId: string;
  readonly daemonId: string;
  /** null: its source is absent. */
  readonly workbenchPolicyVersion: string | null;
  readonly enforcements: readonly Enforcement[];
  readonly probes: readonly ProbeResult[];
  readonly holders: readonly AuthorityHolder[];
  /** Signed selectors that nobody bears. */
  readonly missingHolders: readonly string[];
  /** Classes of packets that the kernel's rules were evaluated over; 0 when they couldn't be. */
  readonly cells: number;
  readonly conflicts: number;
  readonly gaps: readonly string[];
  /** Ports on the boundary's bridges that are no container's. */
  readonly strayPorts: readonly string[];
  /** Code of a binding that was refused; then nothing could be compared. */
  readonly refused: string | null;
  readonly images: {
    /** Signed images that the engine doesn't hold. */
    readonly missing: readonly string[];
    /** Containers that run from another one. */
    readonly different: readonly string[];
  };
  readonly complete: boolean;
}
