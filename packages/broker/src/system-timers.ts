import type { Timers } from "./timers.js";

/** The clock of this process. */
export const systemTimers: Timers = {
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  now: () => performance.now(),
};
