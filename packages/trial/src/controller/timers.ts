/** The one place where the controller waits for time. */
export interface Timers {
  /** Calls back once after `ms`, unless cancelled by the returned function. */
  after(ms: number, call: () => void): () => void;
  every(ms: number, call: () => void): () => void;
  /** Milliseconds that only grow. */
  now(): number;
}

/** setTimeout holds at most 31 bits of milliseconds; a longer wait would fire at once. */
const MAX_TIMEOUT_MS = 0x7fff_ffff;

export const systemTimers: Timers = {
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(ms, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  },
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    return () => clearInterval(timer);
  },
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
};
