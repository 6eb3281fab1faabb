import { VERDICTS } from "../gates/gate.js";
import { digest, id, instant } from "../schema/common.js";
import { integer, nullable, object, oneOf, type Shape } from "../schema/reader.js";
import type { JournalEntry } from "./entry.js";

/** One run of the same experiment; `verdict` is null while none was entered. */
export const attemptReader = object({
  index: integer(0),
  run: id,
  manifest: digest,
  wall: instant,
  verdict: nullable(oneOf(VERDICTS)),
});
export type Attempt = Shape<typeof attemptReader>;

/**
 * Runs of `experiment` that were sealed before entry `before`, with the verdicts known then.
 * Concurrent ones count: their verdict is null.
 */
export const attemptsBefore = (
  entries: readonly JournalEntry[],
  experiment: string,
  before: number,
): readonly Attempt[] => {
  const attempts = new Map<string, Attempt>();
  for (const entry of entries) {
    if (entry.index >= before || entry.experiment !== experiment) continue;
    const { index, run, manifest, wall } = entry;
    if (entry.kind === "sealed") attempts.set(run, { index, run, manifest, wall, verdict: null });
    const sealed = attempts.get(run);
    if (entry.kind === "verdict" && sealed !== undefined) {
      attempts.set(run, { ...sealed, verdict: entry.verdict });
    }
  }
  return [...attempts.values()];
};
