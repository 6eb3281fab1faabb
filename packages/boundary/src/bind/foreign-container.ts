import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { ObservedTopology } from "../model/index.js";

/**
 * Guard: nothing of a container that nobody named would pass, but who put it there is not whom the
 * authority speaks for, and what was observed is not what was authored.
 *
 * @param networks the engine's ids of an authority's networks.
 * @param containers the ids of those that belong on them.
 * @throws DrydockError BIND_FOREIGN_CONTAINER
 */
export const refuseForeignContainers = (
  networks: ReadonlySet<string>,
  containers: ReadonlySet<string>,
  topology: ObservedTopology,
): void => {
  for (const { id, name, endpoints } of topology.containers) {
    if (containers.has(id) || !endpoints.some(({ network }) => networks.has(network))) continue;
    refuse(
      "BIND_FOREIGN_CONTAINER",
      `container ${quote(name)} is on a network that has no place for it`,
      {
        fix: "Disconnect it, or name it in the plan.",
      },
    );
  }
};
