import { giveUpUnclaimed } from "../evidence/index.js";
import type { StateLayout } from "../home/index.js";
import { giveUpRun, openExistingLedger } from "./give-up.js";
import { isOwned } from "./owner.js";
import { type Swept, sweepMachine } from "./sweep.js";

export interface Recovered extends Swept {
  /** Runs of this state directory that are INCOMPLETE from now on. */
  readonly marked: readonly string[];
}

/**
 * What is left to do after a machine was rebooted, or after launcher and reaper died together:
 * removes what dead runs hold and marks them INCOMPLETE. Live runs are not touched.
 */
export const recoverRuns = async (layout: StateLayout, at: Date): Promise<Recovered> => {
  const machine = await sweepMachine(layout);
  const ledger = openExistingLedger(layout);
  const open = ledger === null ? [] : await ledger.runs({ open: true });
  ledger?.close();
  const marked: string[] = [...giveUpUnclaimed(layout, at)];
  for (const row of open) {
    // A dead controller whose slot is still there: its reaper is at work.
    if (isOwned(row) || machine.live.includes(row.run)) continue;
    const lost = {
      run: row.run,
      reason: "OWNER_GONE",
      bodyGone: true,
      by: "recovery",
      at,
    } as const;
    await giveUpRun(layout, lost);
    if (row.outcome === null) marked.push(row.run);
  }
  return { ...machine, marked };
};
