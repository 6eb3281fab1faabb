import { join } from "node:path";
import type { Ledger } from "@drydock/ledger";
import type { StateLayout } from "../home/index.js";
import { markEvidence } from "./give-up.js";
import { isOwned } from "./owner.js";

/**
 * What a controller does for those before it, since it has the ledger open anyway: an open row of a
 * dead owner would go on occupying the machine's capacity. `live` are the runs that have a slot
 * after a sweep; everything else is known to have no body.
 */
export const giveUpDeadRuns = async (
  ledger: Ledger,
  layout: StateLayout,
  live: readonly string[],
  at: Date,
): Promise<readonly string[]> => {
  const marked: string[] = [];
  for (const row of await ledger.runs({ open: true })) {
    if (isOwned(row) || live.includes(row.run)) continue;
    if (row.outcome === null) {
      markIfOurs(layout, row.run, at);
      marked.push(row.run);
    }
    await ledger.markIncomplete(row.run, "OWNER_GONE", { gone: true });
  }
  return marked;
};

const markIfOurs = (layout: StateLayout, run: string, at: Date): void => {
  try {
    markEvidence(join(layout.runs, run), { run, by: "controller", at });
  } catch (error) {
    // Root has taken the evidence over, and marks before it takes over.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
};
