import type { Cidr, Ipv4 } from "./ipv4.js";
import type { AclRule, Action, PlanAddress, Protocol } from "./plan.js";
import type { Audience } from "./policy.js";
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
  /** No rule of an owner's list matched on a side that the list rules: the plan's default is its word. */
  | { readonly kind: "list-end"; readonly owner: PlanAddress; readonly side: "in" | "out" }
  /** No authority speaks for traffic between the two, or one never lets its networks out. */
  | { readonly kind: "no-path" }
  /** The frame isn't what its port is bound to; `port`: the port is bound to nothing. */
  | {
      readonly kind: "binding";
      readonly holder: PlanAddress | null;
      readonly differs: "port" | "mac" | "ether-type" | "address" | "arp";
    }
  /** Nobody bound holds the destination address on the network, or behind the port, that it goes to. */
  | { readonly kind: "delivery" }
  /** IPv6, or another EtherType than IPv4 and ARP. */
  | { readonly kind: "family" }
  /** ARP of a bound port, or of the host, which is the router. */
  | { readonly kind: "arp" }
  /** A reply to, or an ICMP error about, an allowed flow; or `invalid`, which belongs to none. */
  | { readonly kind: "state"; readonly state: CtState }
  | { readonly kind: "egress"; readonly authorities: readonly string[] }
  | { readonly kind: "resolver"; readonly address: Ipv4 }
  | { readonly kind: "special-range"; readonly range: Cidr }
  | { readonly kind: "publication"; readonly audience: Audience };

export interface Judgement {
  readonly action: Action;
  /** Every owner's ground, in the order of evaluation; the first denial decides. */
  readonly grounds: readonly Ground[];
}

/**
 * A frame or packet as the kernel's hooks see it; what the exhaustive check enumerates. Whatever its
 * state, IPv4 goes only from a bound attachment to a bound attachment: to the port that holds the
 * destination address when it's bridged, to an address that is bound on the bridge it leaves by when
 * it's routed (a node also answers to addresses of its other networks). State only decides whether
 * the owners are asked: `new` and `untracked` are, `established` and `related` pass, `invalid`
 * doesn't. What never passes between two networks doesn't pass there as `established` either.
 */
export interface Packet {
  /**
   * The way through the kernel: between two ports of a bridge, through the router, to or from the
   * host. `link-local`: to the host as a frame to 01:80:c2:00:00:00/28, which passes no prerouting
   * hook, and comes up as the port's own (br_handle_frame).
   */
  readonly path: "bridged" | "routed" | "to-host" | "from-host" | "link-local";
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
