import type { ApplianceAim, Seen } from "../realise/index.js";
import type { Known } from "./known.js";

/**
 * Guard: containers that took the place of one that was watched, whatever labels they bear. Without
 * it one that was made just like the first, by whoever may, would be bound in its stead.
 */
export const replacedContainers = (
  { desired }: Pick<ApplianceAim, "desired">,
  known: Known,
  { containers }: Pick<Seen, "containers">,
): readonly string[] =>
  [...desired.anchors, ...desired.nodes].flatMap(({ name }) =>
    containers
      .filter((container) => container.name === name && !known.containers.has(container.id))
      .map(() => `${name}: not the container that was watched`),
  );
