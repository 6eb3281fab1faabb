import type { LogClock } from "../log/writer.js";

/** Starts at a fixed instant and moves one millisecond a reading. */
export const testClock = (start = "2026-11-30T10:00:00.000Z"): LogClock => {
  let milliseconds = Date.parse(start);
  let microseconds = 1_000_000;
  return {
    source: "test.clock",
    wall: () => {
      milliseconds += 1;
      return new Date(milliseconds).toISOString();
    },
    monotonicUs: () => {
      microseconds += 1000;
      return microseconds;
    },
  };
};
