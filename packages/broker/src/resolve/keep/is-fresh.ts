/**
 * Guard: whether an answer may still be used: for as long as its records say (RFC 1035 §3.2.1), and
 * no longer than `maxAgeMs`. Whoever answers for a name could otherwise have it lead to where it
 * no longer does for as long as they like. One that lives for no time is never used again.
 */
export const isFresh = (
  { askedAt, ttl }: { readonly askedAt: number; readonly ttl: number },
  at: number,
  maxAgeMs: number,
): boolean => at - askedAt >= 0 && at - askedAt < Math.min(1_000 * ttl, maxAgeMs);
