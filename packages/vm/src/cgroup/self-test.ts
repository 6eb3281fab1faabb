import { spawn } from "node:child_process";
import { once } from "node:events";
import { createCgroup, joinFiles, missingMemberships, planCgroup, readLimits } from "./group.js";
import type { CgroupLimits, EffectiveLimits } from "./limits.js";
import { removeCgroup } from "./remove.js";

const LIMITS: CgroupLimits = {
  memoryBytes: 64 * 1024 * 1024,
  pids: 16,
  cpuMillis: 500,
  io: null,
};

export interface CgroupSelfTest {
  readonly versions: readonly (1 | 2)[];
  readonly effective: EffectiveLimits;
  /** Directories that a process which joined was not a member of. */
  readonly missing: readonly string[];
  /** What could not be removed, the process in it included. */
  readonly left: readonly string[];
}

/**
 * Makes a group on this machine, sets and reads back its limits, has a process join it, and removes
 * both. For machines that the tests can't run on as a whole, e.g. a guest with version 2 only.
 *
 * @throws DrydockError LIMIT_UNATTACHED
 */
export const selfTestCgroup = async (): Promise<CgroupSelfTest> => {
  const cgroup = planCgroup(`drydock-self-test-${process.pid}`, LIMITS);
  const directories = cgroup.parts.map(({ directory }) => directory);
  createCgroup(cgroup, LIMITS);
  try {
    const join = joinFiles(cgroup).map((path) => `echo $$ > ${path} && `);
    const child = spawn("/bin/sh", ["-c", `${join.join("")}echo joined; exec sleep 60`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(child, "close");
    await Promise.race([once(child.stdout, "data"), ended]);
    const missing = missingMemberships(cgroup, child.pid ?? 0);
    const effective = readLimits(cgroup);
    const left = await removeCgroup(directories);
    await ended;
    return { versions: cgroup.parts.map(({ version }) => version), effective, missing, left };
  } finally {
    await removeCgroup(directories);
  }
};
