import type { Digest } from "@drydock/evidence";
import type { Cidr, Ipv4 } from "./ipv4.js";
import type { AclRule, Action, PlanAddress } from "./plan.js";
import type { Audience, Crossing, EgressAuthority, Zone } from "./policy.js";

/** A network that was found, and the bridge that realises it. */
export interface BoundNetwork {
  /** Plan address, or `platform.network.<zone>`. */
  readonly address: PlanAddress;
  readonly bridge: string;
  readonly cidr: Cidr;
  readonly gateway: Ipv4;
}

/** (port, MAC, IPv4): a frame that arrives by the port with anything else is dropped. */
export interface BoundAttachment {
  /** Of the node or anchor: `provision.node.<name>` or `platform.anchor.<zone>`. */
  readonly holder: PlanAddress;
  readonly network: PlanAddress;
  readonly bridge: string;
  readonly ipv4: Ipv4;
  readonly mac: string;
  /** null while the container doesn't run: then nothing of it is bound, and nothing passes. */
  readonly port: string | null;
}

/** The scenario's authority over what was observed. */
export interface BoundScenario {
  readonly planDigest: Digest;
  readonly default: Action;
  readonly networks: readonly BoundNetwork[];
  readonly attachments: readonly BoundAttachment[];
  readonly rules: readonly AclRule[];
}

/** A crossing with the one network that its two anchors share. */
export interface BoundCrossing extends Crossing {
  readonly network: PlanAddress;
  readonly sourceIpv4: Ipv4;
  readonly destinationIpv4: Ipv4;
}

/** A signed publication, and whom it leads to. */
export interface BoundPublication {
  readonly audience: Audience;
  readonly address: Ipv4;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  readonly target: {
    readonly network: PlanAddress;
    readonly ipv4: Ipv4;
    readonly port: number;
  };
}

/** The platform's authority over what was observed. */
export interface BoundPlatform {
  readonly policyDigest: Digest;
  readonly networks: Readonly<Record<Zone, BoundNetwork>>;
  /** Empty before the anchors run: then the table is the floor, which lets nothing pass. */
  readonly attachments: readonly BoundAttachment[];
  readonly crossings: readonly BoundCrossing[];
  readonly egress: {
    readonly authorities: readonly EgressAuthority[];
    readonly resolvers: readonly Ipv4[];
    /** Of the egress anchor on the egress network. */
    readonly ipv4: Ipv4;
  } | null;
  readonly publications: readonly BoundPublication[];
}

export type Authority = "scenario" | "platform";

/** Who a boundary belongs to: two on one machine never touch each other's tables. */
export type BoundaryOwner = string;
