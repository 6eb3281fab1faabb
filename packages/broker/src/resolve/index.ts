export { keepAnswers } from "./keep-answers.js";
export { RESOLVER_LIMITS } from "./limits.js";
export { createPolicyResolver } from "./policy-resolver.js";
export type { AnswerSource, Resolution, Resolver } from "./resolution.js";
export { createResolver } from "./resolver.js";
