export type { AddressClass, IpAddress } from "./address/address.js";
export { type AllGlobal, allGlobal } from "./address/all-global.js";
export { classifyAddress } from "./address/classify.js";
export { formatIp, parseIp } from "./address/ip-text.js";
export { type Authority, formatAuthority } from "./authority/authority.js";
export { type AuthorityResult, parseAuthority } from "./authority/parse.js";
export * from "./canary/index.js";
export { REASONS, type Reason, type Stage } from "./decision/index.js";
export * from "./policy/index.js";
export {
  type AnswerSource,
  createPolicyResolver,
  type Resolution,
  type Resolver,
} from "./resolve/index.js";
export * from "./secret/index.js";
export * from "./service/index.js";
export * from "./standalone/index.js";
export { systemRandom } from "./system-random.js";
export { systemTimers } from "./system-timers.js";
export { type Direction, watchConnection } from "./tap/index.js";
export * from "./terminate/index.js";
export type { Timers } from "./timers.js";
