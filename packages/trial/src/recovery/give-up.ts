import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { INCOMPLETE_FILE } from "@drydock/evidence";
import { type Ledger, NOTHING, openSqliteLedger, type RunRow } from "@drydock/ledger";
import { runLayout, type StateLayout } from "../home/index.js";
import { handOver } from "./hand-over.js";

export interface LostRun {
  readonly run: string;
  /** A code for the ledger, such as REAPED or OWNER_GONE. */
  readonly reason: string;
  /** Whether nothing of it was seen on this machine any more. */
  readonly bodyGone: boolean;
  /** Which process gives it up. */
  readonly by: "controller" | "launcher" | "reaper" | "recovery";
  readonly at: Date;
}

/**
 * Says in evidence and ledger that a run whose owner is gone is INCOMPLETE, and gives its evidence
 * to root. A run whose end is in the ledger keeps that end. The marker comes first: whoever dies in
 * between leaves an open row, and recovery does the same again.
 *
 * Only when nothing of the run can write its evidence any more.
 *
 * @throws DrydockError LEDGER_*; the evidence is marked then, unless it holds a verdict.
 */
export const giveUpRun = async (layout: StateLayout, lost: LostRun): Promise<void> => {
  const { directory, verdict } = runLayout(join(layout.runs, lost.run));
  let ledger: Ledger | null = null;
  try {
    ledger = openExistingLedger(layout);
    const row = (await ledger?.run(lost.run)) ?? null;
    if (!isConcluded(row)) markEvidence(directory, lost);
    await ledger?.markIncomplete(lost.run, lost.reason, { gone: lost.bodyGone });
  } catch (error) {
    if (!existsSync(verdict)) markEvidence(directory, lost);
    throw error;
  } finally {
    ledger?.close();
    if (existsSync(directory)) handOver(directory, 0, 0);
  }
};

/** A verdict, or a refusal: said by a controller, in time. */
const isConcluded = (row: RunRow | null): boolean =>
  row !== null && row.outcome !== null && row.outcome.kind !== "incomplete";

/** Leaves `incomplete.json` in a run's evidence, if there is evidence. Idempotent. */
export const markEvidence = (
  directory: string,
  { run, by, at }: Pick<LostRun, "run" | "by" | "at">,
): void => {
  if (!existsSync(directory)) return;
  const text = JSON.stringify({ at: at.toISOString(), by, run });
  try {
    writeFileSync(join(directory, INCOMPLETE_FILE), text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
};

/** Null before the first run: whoever cleans up makes no ledger. */
export const openExistingLedger = (layout: StateLayout): Ledger | null =>
  existsSync(layout.ledger) || existsSync(`${layout.ledger}.initialised`)
    ? openSqliteLedger({
        path: layout.ledger,
        ceiling: NOTHING,
        // Nothing is started by whoever cleans up, whatever the halt state is.
        readHalt: () => ({ halted: true, generation: 0 }),
        clock: () => Date.now(),
      })
    : null;
