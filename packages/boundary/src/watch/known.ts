import type { ApplianceAim, DesiredContainer, Seen } from "../realise/index.js";

/** What was the boundary's when it was first looked at, by the engine's own ids. */
export interface Known {
  readonly networks: ReadonlyMap<string, string>;
  readonly containers: ReadonlyMap<string, DesiredContainer>;
}

export const knownIn = (
  { desired }: Pick<ApplianceAim, "desired">,
  { networks, containers }: Pick<Seen, "networks" | "containers">,
): Known => ({
  networks: new Map(
    desired.networks.flatMap(({ address, spec }) =>
      networks.filter(({ name }) => name === spec.name).map(({ id }) => [id, address] as const),
    ),
  ),
  containers: new Map(
    [...desired.anchors, ...desired.nodes].flatMap((wanted) =>
      containers.filter(({ name }) => name === wanted.name).map(({ id }) => [id, wanted] as const),
    ),
  ),
});
