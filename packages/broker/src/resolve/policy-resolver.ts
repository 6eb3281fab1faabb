import type { EgressPolicy } from "../policy/index.js";
import { keepAnswers } from "./keep-answers.js";
import { RESOLVER_LIMITS } from "./limits.js";
import type { Resolver } from "./resolution.js";
import { createResolver, type ResolverOptions } from "./resolver.js";
import { shareLookups } from "./share-lookups.js";

/** A broker's resolver: the policy says who is asked, for how long, and how old an answer may be. */
export const createPolicyResolver = (
  { resolvers, limits }: Pick<EgressPolicy, "resolvers" | "limits">,
  { random, timers }: Pick<ResolverOptions, "random" | "timers">,
): Resolver => {
  const resolver = createResolver({
    servers: resolvers,
    limits: { ...RESOLVER_LIMITS, timeoutMs: limits.dnsTimeoutMs },
    random,
    timers,
  });
  return keepAnswers(shareLookups(resolver, timers), timers, limits.maxAnswerAgeMs);
};
