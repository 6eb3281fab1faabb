import type { EngineContainer } from "../engine/index.js";

/**
 * Where the workbench policy version is observed: a label that the management anchor's image bears,
 * as the engine shows it of the container that runs. No other source counts.
 */
export const WORKBENCH_LABEL = "workbench.policy-version";

/** null: nobody runs there, or its image doesn't say. */
export const workbenchVersionOf = (
  containers: readonly Pick<EngineContainer, "name" | "labels" | "running">[],
  managementAnchor: string,
): string | null => {
  const anchor = containers.find(({ name, running }) => running && name === managementAnchor);
  return anchor?.labels[WORKBENCH_LABEL] ?? null;
};
