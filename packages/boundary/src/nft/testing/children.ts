import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const DEADLINE_MS = 20_000;

/** Children of a process, by the parent that each has, and by how their command lines read. */
export const childrenOf = (parent: number, command: RegExp): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
        const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        return Number(after.split(" ")[1]) === parent && command.test(line);
      } catch {
        // It ended while it was looked at.
        return false;
      }
    })
    .map(Number);

export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    // It is gone.
    return false;
  }
};

export const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + DEADLINE_MS; !holds(); await pause(20))
    assert.ok(Date.now() < end, what);
};
