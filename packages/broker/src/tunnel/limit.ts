/** Guard: what a tunnel may carry one way. */
export const isOverLimit = (bytes: number, limit: number): boolean => bytes > limit;
