import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../errors.js";
import { writeControl } from "./files.js";
import { membersOf, removeEmpty } from "./group.js";

/** A killed VMM frees its memory in well under a second; a process stuck in the kernel never does. */
const PATIENCE_MS = 5000;
const POLL_MS = 5;

/**
 * Kills whatever is in these cgroups and removes them. Idempotent.
 *
 * @returns the directories that are still there.
 */
export const removeCgroup = async (
  directories: readonly string[],
  patienceMs: number = PATIENCE_MS,
): Promise<readonly string[]> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    for (const directory of directories) ifStillThere(() => killMembers(directory));
    // Every one, not the first that fails: the rest may be removable.
    const left = directories.filter((directory) => !removeEmpty(directory));
    if (left.length === 0) return [];
    if (performance.now() >= deadline) return left.filter((directory) => existsSync(directory));
    await delay(POLL_MS);
  }
};

/** Reaper and recovery may remove the same group at once: that it went meanwhile is success. */
const ifStillThere = (action: () => void): void => {
  try {
    action();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENODEV") throw error;
  }
};

const killMembers = (directory: string): void => {
  if (!existsSync(directory)) return;
  // Write-only: reading it fails with EINVAL.
  if (existsSync(join(directory, "cgroup.kill"))) {
    writeControl(directory, "cgroup.kill", "1");
    return;
  }
  // Version 1 has no kill: first no new processes, then one by one, and again until none is left.
  if (existsSync(join(directory, "pids.max"))) writeControl(directory, "pids.max", "0");
  for (const pid of membersOf(directory)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (errnoOf(error) !== "ESRCH") throw error;
    }
  }
};
