import { DrydockError } from "@drydock/evidence";
import type { ApplianceView } from "../world.js";

/**
 * Guard: a scenario begins with exactly the appliance that its snapshot has, by its digest as it is
 * now: what the one before left would be taken for this one's doing.
 *
 * @throws DrydockError LAB_SNAPSHOT
 */
export const requireRestored = (found: ApplianceView, snapshot: ApplianceView): void => {
  if (found.digest === snapshot.digest) return;
  throw new DrydockError("LAB_SNAPSHOT", "the appliance isn't as its snapshot is");
};
