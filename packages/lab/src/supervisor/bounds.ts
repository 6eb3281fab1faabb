/** Of what a rehearsal is asked for. Long before the last of so many, its deadline ends it. */
export const MAX_REPEAT = 1_000;

/** A day is more than the slowest machine takes for anything that somebody waits for. */
export const MAX_DEADLINE_MS = 24 * 3_600_000;

/** For all scenarios once: some ten times what they take on a slow machine. */
const ROUND_MS = 15 * 60_000;

/** Milliseconds after which nothing more is played, where nobody says otherwise. */
export const deadlineFor = (repeat: number): number => Math.min(ROUND_MS * repeat, MAX_DEADLINE_MS);
