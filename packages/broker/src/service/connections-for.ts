/** Client and upstream. */
const DESCRIPTORS_PER_CONNECTION = 2;

export interface DescriptorBudget {
  /** RLIMIT_NOFILE of this process. */
  readonly openFiles: number;
  readonly maxLookups: number;
  /** Connections that are being refused or closed. */
  readonly refusedAtOnce: number;
}

/** Node, the log, the listener, and some air. */
const OWN_DESCRIPTORS = 64;

/**
 * How many connections there can be without ever running short of descriptors: whoever runs short
 * can't accept, look up or dial, in an order that clients choose. Guard: the policy's limit is cut
 * to it, so that one more connection is refused instead.
 */
export const connectionsFor = (wanted: number, budget: DescriptorBudget): number => {
  const { openFiles, maxLookups, refusedAtOnce } = budget;
  const forLookups = DESCRIPTORS_PER_CONNECTION * maxLookups;
  const left = openFiles - OWN_DESCRIPTORS - forLookups - refusedAtOnce;
  return Math.max(0, Math.min(wanted, Math.floor(left / DESCRIPTORS_PER_CONNECTION)));
};
