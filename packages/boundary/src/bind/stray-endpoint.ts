import { quote } from "@drydock/evidence";
import { type BoundaryCode, refuse } from "../codes.js";
import type { ObservedContainer, ObservedTopology } from "../model/index.js";

/**
 * Guard: a container with a foot on another network is a way around both authorities, whose tables
 * see what passes between containers and nothing of what passes within one.
 *
 * @param networks the engine's ids of the networks that it may be on.
 * @throws DrydockError with the code.
 */
export const refuseStrayEndpoint = (
  { name, endpoints }: ObservedContainer,
  networks: ReadonlySet<string>,
  topology: ObservedTopology,
  code: Extract<BoundaryCode, "BIND_ANCHOR_ON_SCENARIO" | "BIND_ATTACHMENT_UNPLANNED">,
): void => {
  const stray = endpoints.find(({ network }) => !networks.has(network));
  if (stray === undefined) return;
  const found = topology.networks.find(({ id }) => id === stray.network);
  const where = quote(found?.name ?? stray.network);
  refuse(code, `container ${quote(name)} is on ${where} as well`, {
    fix: "Disconnect it from there.",
  });
};
