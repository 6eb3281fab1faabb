import type { Timers } from "./timers.js";

/** The clock of this process. */
export const systemTimers: Timers = {
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  // Asked for every chunk of a tunnel; hrtime.bigint would allocate.
  now: () => Math.floor(performance.now()),
};
