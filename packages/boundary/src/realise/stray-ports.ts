import { quote } from "@drydock/evidence";
import type { Aim } from "./aim.js";
import type { Seen } from "./seen.js";

/** A port on a bridge of the boundary's that is no container's, as far as engine and kernel show. */
export interface StrayPort {
  readonly bridge: string;
  readonly port: string;
}

type Looked = Pick<Seen, "topology" | "links">;

/**
 * Guard: interfaces that somebody put upon a bridge of the boundary's by hand. The rules let nothing
 * of them pass, since they are bound to nothing, and the engine knows nothing of them: without this
 * nobody would say that they are there.
 */
export const strayPorts = (
  { desired }: Pick<Aim, "desired">,
  { topology, links }: Looked,
): readonly StrayPort[] => {
  const bridges = new Set(desired.networks.map(({ spec }) => spec.bridge));
  const held = new Set(
    topology.containers.flatMap(({ endpoints }) => endpoints.flatMap(({ port }) => port ?? [])),
  );
  return links.flatMap(({ name, bridge }) =>
    bridge !== null && bridges.has(bridge) && !held.has(name) ? [{ bridge, port: name }] : [],
  );
};

/**
 * Whether each of them may be of a container of the boundary's that starts or ends just now: the
 * engine makes a port before it says that its container runs, and removes it after it said that it
 * doesn't. No bridge has more of them than containers that have no port on it.
 */
export const mayBeStarting = (
  { desired }: Pick<Aim, "desired">,
  { topology, links }: Looked,
  strays: readonly StrayPort[],
): boolean =>
  desired.networks.every(({ address, spec: { bridge } }) => {
    const ports = new Set(links.filter((link) => link.bridge === bridge).map(({ name }) => name));
    const portless = [...desired.anchors, ...desired.nodes]
      .filter(({ attachments }) => attachments.some(({ network }) => network === address))
      .filter(({ name }) => {
        const found = topology.containers.find((container) => container.name === name);
        return !found?.endpoints.some(({ port }) => port !== null && ports.has(port));
      });
    return strays.filter((stray) => stray.bridge === bridge).length <= portless.length;
  });

/** Names of interfaces are somebody else's. */
export const describeStrayPort = ({ bridge, port }: StrayPort): string =>
  `port ${quote(port)} of bridge ${bridge}`;
