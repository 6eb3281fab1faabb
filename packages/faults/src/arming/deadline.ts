/** Guard: the last moment at which a mutation may pass. Without one nothing is too late. */
export const isTooLate = (at: number, mutationsUntil: number | null): boolean =>
  mutationsUntil !== null && at >= mutationsUntil;
