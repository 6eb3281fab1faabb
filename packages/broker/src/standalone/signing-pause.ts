/** As many as `drydock verify` reads. */
const MAX_SIGNATURES = 20_000;

/** So many come as fast as they are asked for; from there on each thousand takes twice as long. */
const UNHURRIED = 10_000;
const THOUSAND = 1_000;
const SECOND_MS = 1_000;

/**
 * How long to wait between two signatures of a log that has `made` already, in milliseconds; null
 * when only the one for its end is left. Asked once a second, a log that never rests is signed
 * every second for almost three hours, and its signatures last for three weeks.
 */
export const signingPauseMs = (made: number): number | null => {
  if (made >= MAX_SIGNATURES - 1) return null;
  if (made < UNHURRIED) return 0;
  return SECOND_MS * 2 ** (1 + Math.floor((made - UNHURRIED) / THOUSAND));
};
