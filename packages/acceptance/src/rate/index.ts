export { coolsDown } from "./cooldown.js";
export { RATE_LIMITS } from "./limits.js";
export { refusePreparation } from "./may-prepare.js";
export { refuseStart } from "./may-start.js";
export type { RateStanding } from "./standing.js";
