import type { Digest } from "@drydock/evidence";
import type { Cidr, Ipv4 } from "./ipv4.js";
import type { Protocol } from "./plan.js";

/**
 * The part of nftables that this project writes, and therefore reads: whatever else a table holds
 * is foreign. Sets are sorted and unique, so that equal meaning is equal text.
 */
export type Match =
  | { readonly kind: "iifname"; readonly is: readonly string[]; readonly not: boolean }
  | { readonly kind: "oifname"; readonly is: readonly string[]; readonly not: boolean }
  /** Bridge family only, and only where the kernel has NFT_BRIDGE_META. */
  | { readonly kind: "ibrname"; readonly is: readonly string[]; readonly not: boolean }
  | { readonly kind: "obrname"; readonly is: readonly string[]; readonly not: boolean }
  | { readonly kind: "ether-source"; readonly is: readonly string[]; readonly not: boolean }
  | { readonly kind: "ether-type"; readonly is: readonly EtherType[]; readonly not: boolean }
  | { readonly kind: "arp-sender-ip"; readonly is: readonly Cidr[]; readonly not: boolean }
  | { readonly kind: "arp-sender-ether"; readonly is: readonly string[]; readonly not: boolean }
  /** `meta nfproto`, in the inet family. */
  | { readonly kind: "nfproto"; readonly is: "ipv4" | "ipv6" }
  | { readonly kind: "ip-source"; readonly is: readonly Cidr[]; readonly not: boolean }
  | { readonly kind: "ip-destination"; readonly is: readonly Cidr[]; readonly not: boolean }
  | { readonly kind: "l4proto"; readonly is: readonly Protocol[]; readonly not: boolean }
  /** Also demands the protocol, as nft does. */
  | {
      readonly kind: "destination-port";
      readonly protocol: "tcp" | "udp";
      readonly is: readonly PortRange[];
    }
  | { readonly kind: "ct-state"; readonly is: readonly CtState[]; readonly not: boolean }
  /** `meta mark & mask == value`, or `!=`. */
  | {
      readonly kind: "mark";
      readonly mask: number;
      readonly value: number;
      readonly not: boolean;
    };

export type EtherType = "ip" | "arp" | "ip6";
export type CtState = "new" | "established" | "related" | "invalid" | "untracked";

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export type Effect =
  | { readonly kind: "accept" }
  | { readonly kind: "drop" }
  | { readonly kind: "return" }
  | { readonly kind: "jump"; readonly chain: string }
  | Dispatch
  /** `meta mark set meta mark | bits`; evaluation goes on. */
  | { readonly kind: "set-mark"; readonly bits: number }
  | { readonly kind: "masquerade" };

/**
 * A jump to the chain that stands beside what a packet has there, if any does (`vmap`): one look-up
 * in place of a rule for each. As after a jump, evaluation goes on where that chain has no verdict.
 * Ascending, each once.
 */
export type Dispatch =
  | {
      readonly kind: "dispatch";
      readonly by: "iifname" | "oifname";
      readonly to: readonly { readonly is: string; readonly chain: string }[];
    }
  | {
      readonly kind: "dispatch";
      readonly by: "ip-source" | "ip-destination";
      readonly to: readonly { readonly is: Ipv4; readonly chain: string }[];
    };

export interface Rule {
  /** What the rule is there for, stable: `<owner>/<name>/<direction>`, `platform/crossing/…`. */
  readonly identity: string;
  readonly matches: readonly Match[];
  readonly effect: Effect;
}

export type Hook = "prerouting" | "input" | "forward" | "output" | "postrouting";

export interface Chain {
  readonly name: string;
  /** null: reached by jumps alone. */
  readonly base: {
    readonly type: "filter" | "nat";
    readonly hook: Hook;
    readonly priority: number;
    readonly policy: "accept" | "drop";
  } | null;
  readonly rules: readonly Rule[];
}

export type Family = "inet" | "bridge";

/** One table. */
export interface Table {
  readonly family: Family;
  readonly name: string;
  /** `owner=…,authority=…,realisation=…,digest=…`. */
  readonly comment: string;
  /** By name. */
  readonly chains: readonly Chain[];
}

/**
 * How frames between two ports of one bridge are judged. `native`: in the bridge family, with
 * bridge conntrack. `br_netfilter`: in the inet family, which then sees them as routed from the
 * bridge to itself.
 *
 * The way of a packet, and what its authority's chains do there, in both:
 * - bridge prerouting: is it the port's own MAC and address? Then it gets the authority's mark.
 * - bridge input: the same for frames that skip prerouting, because the bridge learns from them.
 * - bridge forward: from a bound port to a bound port only; `native`: flows within the bridge.
 * - inet forward: routed flows; `br_netfilter`: flows within a bridge as well.
 * - inet input, output: to and from the host.
 * - bridge postrouting: does the port that it leaves by hold the address that it goes to?
 */
export type Realisation = "native" | "br_netfilter";

/** One authority's rules: a table in each family, replaced in one transaction. */
export interface Ruleset {
  readonly authority: "scenario" | "platform";
  readonly realisation: Realisation;
  readonly inet: Table;
  readonly bridge: Table;
  /** Over the normal form of both tables, without their comments' digests. */
  readonly digest: Digest;
}
