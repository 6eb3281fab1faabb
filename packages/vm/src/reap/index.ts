export { destroySlot, emptySlot, type Leftover } from "./destroy.js";
export { type SweptSlot, sweepStale } from "./sweep.js";
