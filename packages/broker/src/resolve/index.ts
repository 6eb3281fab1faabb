export { RESOLVER_LIMITS, type ResolverLimits } from "./limits.js";
export type { Resolution, Resolver } from "./resolution.js";
export { createResolver, type ResolverOptions } from "./resolver.js";
export { shareLookups } from "./share-lookups.js";
