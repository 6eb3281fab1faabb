import type { NetworkSpec } from "../engine/index.js";
import type { Ipv4, Ruleset } from "../model/index.js";
import type { Setting } from "../readback/index.js";
import type { DesiredContainer } from "./desired.js";

/** One thing that brings engine and kernel nearer to what is wanted. */
export type Action =
  | { readonly kind: "remove-container"; readonly id: string }
  | { readonly kind: "remove-network"; readonly id: string }
  | { readonly kind: "create-network"; readonly spec: NetworkSpec }
  | { readonly kind: "write-setting"; readonly setting: Setting }
  | {
      readonly kind: "load";
      readonly ruleset: Ruleset;
      /** The same boundary's other one, as it is in the kernel. */
      readonly beside: readonly Ruleset[];
    }
  | { readonly kind: "create-container"; readonly container: DesiredContainer }
  | { readonly kind: "start-container"; readonly id: string }
  | { readonly kind: "set-default-route"; readonly id: string; readonly gateway: Ipv4 };

/** Stages in the order in which a boundary comes up: nothing runs before what contains it holds. */
export const STAGES = [
  "stale",
  "networks",
  "settings",
  "floor",
  "scenario-table",
  "anchors",
  "platform-table",
  "nodes",
  "routes",
] as const;
export type StageName = (typeof STAGES)[number];

export interface Stage {
  readonly name: StageName;
  /** At least one. */
  readonly actions: readonly Action[];
}
