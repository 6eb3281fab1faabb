import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import type { DeploymentBackend } from "../engine/index.js";

/**
 * Ids of the images that a boundary needs, as the engine holds them. None is pulled, built or
 * tagged: what a release signed is there already, or nothing starts.
 *
 * @param references `name@sha256:…`.
 * @throws DrydockError APPLY_IMAGE_MISSING, ENGINE_…
 */
export const resolveImages = async (
  references: readonly string[],
  engine: Pick<DeploymentBackend, "imageId">,
): Promise<ReadonlyMap<string, string>> => {
  const images = new Map<string, string>();
  for (const reference of new Set(references)) {
    const id = await engine.imageId(reference);
    if (id === null) {
      return refuse("APPLY_IMAGE_MISSING", `the engine doesn't hold ${quote(reference)}`, {
        fix: "Load it with `docker load` from the release's payload; nothing is pulled.",
      });
    }
    images.set(reference, id);
  }
  return images;
};
