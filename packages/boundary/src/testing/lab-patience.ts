/** As long as whatever is blocked is waited for where nothing is slow. */
const SHORTEST_MS = 1_500;
/** And on a machine of which nothing is known yet, or which is busy or emulated. */
const LONGEST_MS = 30_000;
const REMEMBERED = 16;

const lately: number[] = [];

/** How long an answer took that came. */
export const noteReached = (ms: number): void => {
  lately.push(ms);
  if (lately.length > REMEMBERED) lately.shift();
};

/**
 * What doesn't answer is taken for blocked after twice the time that answers took lately: a fixed
 * time would be wrong on a slow machine, and one that is enough for the slowest a waste on others.
 */
export const patienceMs = (): number =>
  lately.length === 0
    ? LONGEST_MS
    : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, 2 * Math.max(...lately)));
