import type { Digest } from "@drydock/evidence";
import type { Ipv4 } from "./ipv4.js";

export const ZONES = ["participant", "management", "egress"] as const;
export type Zone = (typeof ZONES)[number];

/** An exact Docker label. */
export interface LabelSelector {
  readonly key: string;
  readonly value: string;
}

/** Only participant → management and management → egress can be expressed. */
export interface Crossing {
  readonly source: Zone;
  readonly destination: Zone;
  readonly protocol: "tcp" | "udp";
  readonly ports: readonly number[];
  readonly purpose: string;
  readonly line: number;
}

export interface EgressAuthority {
  /** Exact multi-label DNS name, lower case, no trailing dot. */
  readonly authority: string;
  readonly port: number;
  readonly purpose: string;
  readonly line: number;
}

export interface EgressProxyLimits {
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly headerTimeoutSeconds: number;
  readonly connectTimeoutSeconds: number;
  readonly idleTimeoutSeconds: number;
}

export type Audience = "participant" | "recovery" | "host-mcp";

export interface GuestPublication {
  readonly audience: Audience;
  /** Loopback. */
  readonly address: Ipv4;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
}

/** What the platform's owner signed. */
export interface AppliancePolicy {
  /** Over the file's exact bytes. */
  readonly digest: Digest;
  readonly id: string;
  readonly generation: number;
  readonly workbenchPolicyVersion: string;
  readonly networks: Readonly<Record<Zone, LabelSelector>>;
  readonly anchors: Readonly<Record<Zone, LabelSelector>>;
  readonly crossings: readonly Crossing[];
  readonly egressAuthorities: readonly EgressAuthority[];
  /** Whom the broker asks for names, port 53; their path is opened for the egress anchor alone. */
  readonly egressResolvers: readonly Ipv4[];
  readonly egressLimits: EgressProxyLimits;
  readonly publications: readonly GuestPublication[];
  readonly hostMcpContract: string | null;
  readonly allowedHolders: readonly LabelSelector[];
  /** An outer-host observation older than this is stale; 1 to 3,600. */
  readonly observationFreshnessSeconds: number;
  /** Lets an apply touch the network namespace of PID 1. */
  readonly allowHostNetwork: boolean;
}
