import type { Timers } from "../timers.js";
import { type KeptAnswers, keep, keptFor, NONE_KEPT } from "./keep/kept-answers.js";
import type { Resolver } from "./resolution.js";

/**
 * Answers from what was answered before while that may be used, and asks otherwise. What is kept is
 * complete and all global, and it has to be judged again by whoever uses it.
 *
 * @param maxAgeMs for no longer than so, whatever the records say; 0 keeps nothing
 */
export const keepAnswers = (
  resolver: Resolver,
  { now }: Pick<Timers, "now">,
  maxAgeMs: number,
): Resolver => {
  let kept: KeptAnswers = NONE_KEPT;
  return {
    resolve: async (host, signal) => {
      signal.throwIfAborted();
      const askedAt = now();
      const found = keptFor(kept, host, askedAt, maxAgeMs);
      if (found !== null) {
        const { addresses, ttl } = found;
        const ageMs = Math.round(askedAt - found.askedAt);
        return { kind: "addresses", addresses, ttl, source: "kept", ageMs, queries: 0, ms: 0 };
      }
      const resolution = await resolver.resolve(host, signal);
      // Of one that is shared the beginning isn't known here; whoever asked keeps it.
      if (resolution.kind === "addresses" && resolution.source === "asked") {
        const { addresses, ttl } = resolution;
        kept = keep(kept, host, { addresses, ttl, askedAt }, now(), maxAgeMs);
      }
      return resolution;
    },
  };
};
