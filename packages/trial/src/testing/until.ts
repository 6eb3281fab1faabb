import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 20;

/** Looks until it holds, and returns how long that took. @throws Error after `deadlineMs` */
export const untilTrue = async (
  holds: () => boolean,
  deadlineMs: number,
  what: string,
): Promise<number> => {
  const began = performance.now();
  while (!holds()) {
    if (performance.now() - began > deadlineMs)
      throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await delay(POLL_MS);
  }
  return performance.now() - began;
};
