import type { Timers } from "../controller/timers.js";

export interface FakeTimers extends Timers {
  /** Moves the clock and calls what is due by then, in order. */
  advance(ms: number): void;
  readonly pending: number;
}

interface Entry {
  at: number;
  readonly every: number | null;
  readonly call: () => void;
}

export const fakeTimers = (): FakeTimers => {
  const entries = new Set<Entry>();
  let now = 0;
  const add = (ms: number, every: number | null, call: () => void): (() => void) => {
    const entry = { at: now + ms, every, call };
    entries.add(entry);
    return () => entries.delete(entry);
  };
  return {
    after: (ms, call) => add(ms, null, call),
    every: (ms, call) => add(ms, ms, call),
    now: () => now,
    // As a process sees it that was held up: time has passed at once, and what is armed now is new.
    advance: (ms) => {
      now += ms;
      const due = [...entries].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      for (const entry of due) {
        if (!entries.has(entry)) continue;
        if (entry.every === null) entries.delete(entry);
        else entry.at = now + entry.every;
        entry.call();
      }
    },
    get pending() {
      return entries.size;
    },
  };
};
