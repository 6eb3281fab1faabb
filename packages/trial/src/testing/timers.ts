import type { Timers } from "../controller/timers.js";

export interface FakeTimers extends Timers {
  /** Moves the clock and calls what is due, in order. */
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
  const next = (until: number): Entry | undefined =>
    [...entries].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    after: (ms, call) => add(ms, null, call),
    every: (ms, call) => add(ms, ms, call),
    now: () => now,
    advance: (ms) => {
      const until = now + ms;
      for (let due = next(until); due !== undefined; due = next(until)) {
        now = due.at;
        if (due.every === null) entries.delete(due);
        else due.at += due.every;
        due.call();
      }
      now = until;
    },
    get pending() {
      return entries.size;
    },
  };
};
