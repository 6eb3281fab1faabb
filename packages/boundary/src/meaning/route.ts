import type { PlanAddress, PlanNode } from "../model/index.js";
import type { Place } from "./place.js";

/** How containers themselves send: by the network that they share, or by their default route. */
export interface Routing {
  readonly attached: (holder: PlanAddress, network: PlanAddress) => boolean;
  /** The network that holds a container's default route. */
  readonly defaultOf: (holder: PlanAddress) => PlanAddress | undefined;
}

/** @param nodes in whose lists of attachments the first holds the default route */
export const routingOf = (places: readonly Place[], nodes: readonly PlanNode[]): Routing => {
  const first = new Map<PlanAddress, PlanAddress>();
  for (const { address, attachments } of nodes) {
    const [place] = attachments;
    if (place !== undefined) first.set(address, place.network);
  }
  for (const { holder, network } of places) if (!first.has(holder)) first.set(holder, network);
  const held = new Set(places.map(({ holder, network }) => `${holder} ${network}`));
  return {
    attached: (holder, network) => held.has(`${holder} ${network}`),
    defaultOf: (holder) => first.get(holder),
  };
};

export type Path = "same-bridge" | "routed";

export const pathOf = (source: Place, destination: Place): Path =>
  source.network === destination.network ? "same-bridge" : "routed";

/**
 * Whether a flow and its replies take one way. Routed, a container sends by its default route unless
 * it's attached to the other's network: by another interface than the address is bound to, what it
 * sends is dropped there, whatever the rules allow.
 */
export const isSymmetric = (
  { attached, defaultOf }: Routing,
  source: Place,
  destination: Place,
): boolean => {
  if (pathOf(source, destination) === "same-bridge") return true;
  const sends = (from: Place, to: Place): boolean =>
    !attached(from.holder, to.network) && defaultOf(from.holder) === from.network;
  return sends(source, destination) && sends(destination, source);
};
