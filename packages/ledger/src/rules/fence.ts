import type { RunRow } from "./row.js";

/**
 * Guard: only the holder of the newest generation acts for a run. A controller that was presumed
 * dead and comes back must find every door shut.
 */
export const isFenced = (row: RunRow, generation: number): boolean =>
  row.lease.generation !== generation;
