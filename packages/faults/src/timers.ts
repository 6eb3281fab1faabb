/** Time, as this package's shells see it. Rules get it as numbers only. */
export interface Timers {
  /** Calls back once after `ms`, unless cancelled by the returned function. */
  after(ms: number, call: () => void): () => void;
  /** Milliseconds that only grow, with their fraction. */
  now(): number;
}

/** The clock of this process. */
export const systemTimers: Timers = {
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  now: () => performance.now(),
};
