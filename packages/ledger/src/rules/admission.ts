import { plus, RESOURCE_NAMES, type ResourceName, type Resources } from "../resources/vector.js";

/**
 * Guard: the first resource that `wanted` would push over the ceiling, or null when it fits.
 * `committed` counts held reservations too: what may still be running is occupied.
 */
export const overCeiling = (
  wanted: Resources,
  committed: Resources,
  ceiling: Resources,
): ResourceName | null => {
  const total = plus(wanted, committed);
  return RESOURCE_NAMES.find((name) => total[name] > ceiling[name]) ?? null;
};
