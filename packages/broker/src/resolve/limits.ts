/** What a look-up may cost. Times in milliseconds. */
export interface ResolverLimits {
  /** For the whole look-up: both families, every server, UDP and TCP. */
  readonly timeoutMs: number;
  /** Records in each section of a message, aliases included. */
  readonly maxAnswers: number;
  /** CNAME records from the name asked for to the one with addresses. */
  readonly maxAliases: number;
  /** Of one message over TCP. Over UDP it is RFC 1035's 512, since no EDNS is sent. */
  readonly maxMessageBytes: number;
  /** Datagrams in one look-up that aren't to the question: somebody is guessing. */
  readonly maxUnrelated: number;
}

/**
 * Far above what names that serve something need (the longest chains in use have about 6 aliases,
 * the widest sets about 30 addresses), far below what makes a receipt or a dial loop long.
 */
export const RESOLVER_LIMITS = {
  maxAnswers: 64,
  maxAliases: 8,
  maxMessageBytes: 8192,
  maxUnrelated: 16,
} as const satisfies Omit<ResolverLimits, "timeoutMs">;
