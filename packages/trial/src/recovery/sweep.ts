import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { listSlots, readOwner, type SweptSlot, slotAt, sweepStale } from "@drydock/vm";
import type { StateLayout } from "../home/index.js";

const SCRATCH_PREFIX = ".scratch-";

/** Where the launcher keeps what a run needs on a real disk: the vault, the upper layer's name. */
export const scratchOf = (runs: string, run: string): string =>
  join(runs, `${SCRATCH_PREFIX}${run}`);

export interface Swept {
  readonly swept: readonly SweptSlot[];
  /** Runs that still have a slot, of whatever state directory. */
  readonly live: readonly string[];
}

/**
 * Removes what dead runs left on this machine: slots whose owners are gone, and the scratch
 * directories under `layout` that belong to no slot. What a live run holds is not touched: it takes
 * its slot before it makes anything else.
 */
export const sweepMachine = async (layout: StateLayout): Promise<Swept> => {
  const scratch = existsSync(layout.runs)
    ? readdirSync(layout.runs).filter((name) => name.startsWith(SCRATCH_PREFIX))
    : [];
  const swept = await sweepStale();
  const live = liveRuns();
  for (const name of scratch)
    if (!live.includes(name.slice(SCRATCH_PREFIX.length)))
      rmSync(join(layout.runs, name), { recursive: true, force: true });
  return { swept, live };
};

const liveRuns = (): readonly string[] =>
  listSlots().flatMap((number) => readOwner(slotAt(number, ""))?.run ?? []);
