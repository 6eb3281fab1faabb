import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { listSlots, readOwner, slotAt } from "@drydock/vm";
import type { TestHome } from "./home.js";

/** What ends with a process may take a moment after the process is gone. */
const PATIENCE_MS = 30_000;
const POLL_MS = 50;

/**
 * What this machine still holds of a test's home: slots, cgroups, processes, mounts, scratch and
 * temporary files. Waits a moment for the list to become empty.
 */
export const whatIsLeft = async (home: TestHome): Promise<readonly string[]> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = lookAround(home);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(POLL_MS);
  }
};

const lookAround = ({ directory, temporary }: TestHome): readonly string[] => {
  const runs = namesIn(join(directory, "runs"));
  const scratch = runs.filter((name) => name.startsWith(".")).map((name) => `scratch ${name}`);
  const isOurs = (text: string): boolean =>
    text.includes(directory) || runs.some((run) => text.includes(run.replace(/^\.scratch-/, "")));
  return [
    ...scratch,
    ...namesIn(temporary).map((name) => `temporary file ${name}`),
    ...slotsOf(isOurs).map((slot) => `slot ${slot}`),
    ...cgroups()
      .filter(isOurs)
      .map((path) => `cgroup ${path}`),
    ...processesOf(isOurs).map((pid) => `process ${pid}`),
    ...readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .filter(isOurs)
      .map((line) => `mount ${line}`),
  ];
};

const slotsOf = (isOurs: (text: string) => boolean): readonly number[] =>
  listSlots().filter((number) => isOurs(readOwner(slotAt(number, ""))?.run ?? ""));

/** Drydock's own groups, wherever a controller of version 1 or the tree of version 2 has them. */
const cgroups = (): readonly string[] => {
  const found: string[] = [];
  const look = (directory: string, depth: number): void => {
    for (const name of namesIn(directory)) {
      const path = join(directory, name);
      if (name.startsWith("drydock-")) found.push(path);
      else if (depth > 0 && !name.includes(".")) look(path, depth - 1);
    }
  };
  look("/sys/fs/cgroup", 3);
  return found;
};

/** By their arguments. A keeper of golden memory outlives its run on purpose. */
const processesOf = (isOurs: (text: string) => boolean): readonly number[] =>
  namesIn("/proc")
    .filter((name) => /^[1-9][0-9]*$/.test(name))
    .map(Number)
    .filter((pid) => {
      const argv = argumentsOf(pid);
      return argv[1] !== "keep" && isOurs(argv.join("\0"));
    });

const argumentsOf = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    // It has ended since it was listed.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
};

const namesIn = (directory: string): readonly string[] => {
  try {
    return existsSync(directory) ? readdirSync(directory) : [];
  } catch (error) {
    // A plain file, or a group that has gone.
    if (["ENOTDIR", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
};
