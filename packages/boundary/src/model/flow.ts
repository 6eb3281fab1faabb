import type { Ipv4 } from "./ipv4.js";
import type { AclRule, Action, PlanAddress, Protocol } from "./plan.js";
import type { CtState, EtherType } from "./ruleset.js";

/** A new connection that somebody might try, in the words of a plan. */
export interface Flow {
  /** The attachment that it leaves by. */
  readonly source: { readonly holder: PlanAddress; readonly network: PlanAddress };
  readonly destination: { readonly holder: PlanAddress; readonly network: PlanAddress };
  readonly protocol: Protocol | "other";
  /** null with icmp and other. */
  readonly port: number | null;
}

/** Why a flow is allowed or denied. */
export type Ground =
  | { readonly kind: "rule"; readonly rule: AclRule }
  | { readonly kind: "crossing"; readonly purpose: string; readonly line: number }
  | { readonly kind: "default"; readonly authority: "scenario" | "platform" }
  /** No authority speaks for traffic between the two. */
  | { readonly kind: "no-path" };

export interface Judgement {
  readonly action: Action;
  /** Every owner's ground, in the order of evaluation; the first denial decides. */
  readonly grounds: readonly Ground[];
}

/** A frame or packet as the kernel's hooks see it; what the exhaustive check enumerates. */
export interface Packet {
  /** The way through the kernel: between two ports of a bridge, through the router, from or to the host. */
  readonly path: "bridged" | "routed" | "to-host" | "from-host";
  /** Bridge port it came by; null from the host or from an interface that is no bridge's. */
  readonly inPort: string | null;
  readonly inBridge: string | null;
  /** The interface of a routed packet that is no bridge. */
  readonly inInterface: string | null;
  readonly outPort: string | null;
  readonly outBridge: string | null;
  readonly outInterface: string | null;
  readonly etherType: EtherType | "other";
  readonly sourceMac: string;
  /** IPv4 header; of an ARP frame the sender's protocol address. */
  readonly source: Ipv4;
  readonly destination: Ipv4;
  /** ARP payload's sender hardware address. */
  readonly arpMac: string;
  readonly protocol: Protocol | "other";
  readonly port: number;
  readonly state: CtState;
}
