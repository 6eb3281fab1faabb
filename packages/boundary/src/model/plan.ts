import type { Digest } from "@drydock/evidence";
import type { Cidr, Ipv4 } from "./ipv4.js";

export type Protocol = "tcp" | "udp" | "icmp";
export type Action = "allow" | "deny";
export type Direction = "in" | "out" | "inout";

/** `provision.network.<name>` or `provision.node.<name>`: what everything in a plan is called by. */
export type PlanAddress = string;

export interface PlanNetwork {
  readonly address: PlanAddress;
  readonly name: string;
  readonly cidr: Cidr;
  readonly gateway: Ipv4;
  readonly line: number;
}

/** One interface of a node's. */
export interface PlanAttachment {
  readonly network: PlanAddress;
  readonly ipv4: Ipv4;
}

export interface PlanNode {
  readonly address: PlanAddress;
  readonly name: string;
  /** `name@sha256:…`; null for a node that is a place in the network and nothing else. */
  readonly image: string | null;
  readonly command: readonly string[] | null;
  /** In authored order: the first holds the default route. At least one. */
  readonly attachments: readonly PlanAttachment[];
  readonly line: number;
}

/** One rule of an owner's list, lowered: what was left out is written out. */
export interface AclRule {
  readonly owner: PlanAddress;
  readonly ownerType: "node" | "network";
  readonly name: string;
  /** Position in the owner's list, from 0: the first that matches decides for that owner. */
  readonly order: number;
  readonly direction: Direction;
  /** null: any, within the owner's scope. */
  readonly from: PlanAddress | null;
  readonly to: PlanAddress | null;
  readonly protocol: Protocol | "any";
  /** Destination ports, ascending, unique; empty: all. Only with tcp and udp. */
  readonly ports: readonly number[];
  readonly action: Action;
  /** Of the file, from 1. */
  readonly line: number;
}

/** What a scenario's author says about who may talk to whom. */
export interface ProvisioningPlan {
  /** Over the file's exact bytes. */
  readonly digest: Digest;
  /** What holds where no rule speaks. Always written down by the author. */
  readonly default: Action;
  readonly networks: readonly PlanNetwork[];
  readonly nodes: readonly PlanNode[];
  /** By owner address, then order. */
  readonly rules: readonly AclRule[];
}
