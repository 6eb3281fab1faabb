import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, readBootId } from "@drydock/vm";
import * as z from "zod/mini";
import { runLayout, type StateLayout } from "../home/index.js";
import { markEvidence } from "../recovery/give-up.js";
import { isOwned } from "../recovery/owner.js";

const PREFIX = ".owner-";

const ownerShape = z.strictObject({
  evidence: z.string(),
  owner: z.strictObject({ bootId: z.string(), pid: z.int(), startTicks: z.int() }),
});

const fileOf = (layout: StateLayout, run: string): string => join(layout.runs, `${PREFIX}${run}`);

/**
 * Who is at it, kept beside the evidence until there is a verdict: a ledger has rows for runs alone,
 * and the evidence may be anywhere.
 */
export const claimEvidence = (layout: StateLayout, run: string, evidence: string): void => {
  const owner = {
    bootId: readBootId(),
    pid: process.pid,
    startTicks: identifyProcess(process.pid)?.startTime ?? 0,
  };
  writeFileSync(fileOf(layout, run), JSON.stringify({ evidence, owner }), {
    mode: 0o600,
    flag: "wx",
  });
};

export const releaseClaim = (layout: StateLayout, run: string): void =>
  rmSync(fileOf(layout, run), { force: true });

/** Whether somebody is at it now. */
export const isClaimed = (layout: StateLayout, run: string): boolean => {
  const claim = readClaim(layout, run);
  return claim !== null && isOwned(claim);
};

/**
 * Says of applies, times at the gate and rehearsals whose process died before its verdict that they
 * are INCOMPLETE.
 *
 * @returns which
 */
export const giveUpUnclaimed = (layout: StateLayout, at: Date): readonly string[] => {
  if (!existsSync(layout.runs)) return [];
  const claimed = readdirSync(layout.runs)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  return claimed.filter((run) => {
    const claim = readClaim(layout, run);
    if (claim !== null && isOwned(claim)) return false;
    const isConcluded = claim === null || existsSync(runLayout(claim.evidence).verdict);
    if (!isConcluded) markEvidence(claim.evidence, { run, by: "recovery", at });
    releaseClaim(layout, run);
    return !isConcluded;
  });
};

/** null: nobody's, or half of one, whose writer died before it sealed anything. */
const readClaim = (layout: StateLayout, run: string): z.infer<typeof ownerShape> | null => {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(fileOf(layout, run), "utf8")));
  } catch {
    // ENOENT, or a file that was never whole.
    return null;
  }
};
