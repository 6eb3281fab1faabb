import type { DeploymentBackend } from "../engine/index.js";
import type { BoundaryOwner } from "../model/index.js";
import { isOwned } from "../realise/index.js";
import { allDone } from "./all-done.js";

/**
 * Ends everything of a boundary that runs, and keeps it: the next apply starts it again, once its
 * rules hold. What isn't the owner's is left alone.
 *
 * @throws DrydockError ENGINE_…
 */
export const killOwned = async (
  owner: BoundaryOwner,
  engine: Pick<DeploymentBackend, "containers" | "kill">,
): Promise<void> => {
  const containers = await engine.containers();
  await allDone(
    containers
      .filter((container) => container.running && isOwned(owner, container))
      .map(({ id }) => engine.kill(id)),
  );
};
