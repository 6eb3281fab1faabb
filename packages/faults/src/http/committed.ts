/** Guard: an upstream is known to have done what it was asked for when it says 2xx, and not else. */
export const hasCommitted = (status: number): boolean => status >= 200 && status <= 299;
