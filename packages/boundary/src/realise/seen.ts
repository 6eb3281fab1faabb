import type { EngineContainer, EngineNetwork, Link } from "../engine/index.js";
import type { Ipv4, ObservedTopology } from "../model/index.js";
import type { ObservedSettings } from "../readback/index.js";
import type { Listing } from "../ruleset/index.js";

/** Everything that engine and kernel hold at one moment of an apply. */
export interface Seen {
  readonly topology: ObservedTopology;
  readonly networks: readonly EngineNetwork[];
  readonly containers: readonly EngineContainer[];
  readonly listing: Listing;
  readonly settings: ObservedSettings;
  /** Default gateway by container id, where it was asked for; null: none, or it doesn't run. */
  readonly routes: ReadonlyMap<string, Ipv4 | null>;
  /** All interfaces in the appliance's namespace. */
  readonly links: readonly Link[];
}
