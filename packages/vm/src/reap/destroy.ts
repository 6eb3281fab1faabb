import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Cgroup, removeCgroup } from "../cgroup/index.js";
import { errnoOf } from "../errors.js";
import { processesOfUids } from "../jail/process.js";
import { forgetCgroups, OWNER_FILE, type OwnerRecord, readOwner, type Slot } from "../jail/slot.js";
import { slotUids } from "../jail/uids.js";
import { parseMounts } from "../observe/parse.js";
import { acquireLock } from "../store/index.js";

/** A killed process is gone in milliseconds; one in an uninterruptible wait may never be. */
const PATIENCE_MS = 5000;
const POLL_MS = 5;
/** Two patiences of whoever destroys the slot now. */
const LOCK_PATIENCE_MS = 2 * PATIENCE_MS + 5000;
/** A directory that is being removed: no longer a slot, and anyone may finish the removal. */
export const GONE_PREFIX = ".gone-";

/** Something of a slot that could not be removed. */
export interface Leftover {
  readonly kind: "process" | "cgroup" | "mount" | "directory";
  readonly what: string;
}

/**
 * Removes everything that a slot holds: processes by cgroup and by uid, cgroups, its directory.
 * Namespaces and the private root end with their processes. Idempotent, and safe when reaper and
 * recovery do it at once: they take turns, and whoever comes second finds that the slot is gone or
 * belongs to another run, which is not touched. What is left is looked up afterwards, not assumed.
 */
export const destroySlot = (slot: Slot): Promise<readonly Leftover[]> =>
  withRecord(slot, async ({ cgroups }) => {
    const leftovers = await removeContents(slot, cgroups);
    // The directory is the allocation: while anything of the run is left, the slot stays taken.
    if (leftovers.length > 0) return leftovers;
    // Renamed first: a half-removed directory would be a slot without an owner.
    const gone = join(dirname(slot.directory), `${GONE_PREFIX}${randomUUID()}`);
    renameSync(slot.directory, gone);
    rmSync(gone, { recursive: true, force: true });
    return stillThere(slot.directory, gone);
  });

/**
 * The same but for the record and one group: that of the process which has to hear that all the
 * rest is gone. The slot stays taken until `destroySlot` removes these too.
 */
export const emptySlot = (slot: Slot, spared: Cgroup): Promise<readonly Leftover[]> =>
  withRecord(slot, async ({ cgroups }) => {
    const sparing = new Set(spared.parts.map(({ directory }) => directory));
    const doomed = cgroups.filter((directory) => !sparing.has(directory));
    const leftovers = await removeContents(slot, doomed);
    if (leftovers.length > 0) return leftovers;
    forgetCgroups(slot, doomed);
    const contents = readdirSync(slot.directory)
      .filter((name) => name !== OWNER_FILE)
      .map((name) => join(slot.directory, name));
    for (const path of contents) rmSync(path, { recursive: true, force: true });
    return stillThere(...contents);
  });

/** Nothing when the slot is gone or another run's. */
const withRecord = async (
  slot: Slot,
  remove: (record: OwnerRecord) => Promise<readonly Leftover[]>,
): Promise<readonly Leftover[]> => {
  const locks = join(dirname(dirname(slot.directory)), "locks");
  mkdirSync(locks, { recursive: true, mode: 0o700 });
  const lock = await acquireLock(locks, `slot-${slot.number}`, { patienceMs: LOCK_PATIENCE_MS });
  try {
    const record = readOwner(slot);
    return record?.run === slot.run ? await remove(record) : [];
  } finally {
    lock.release();
  }
};

const removeContents = async (
  slot: Slot,
  cgroups: readonly string[],
): Promise<readonly Leftover[]> => {
  const processes = await killSlotProcesses(slot);
  const leftGroups = await removeCgroup(cgroups);
  return [
    ...processes.map((pid): Leftover => ({ kind: "process", what: String(pid) })),
    ...leftGroups.map((what): Leftover => ({ kind: "cgroup", what })),
    ...mountsUnder(slot.directory).map((what): Leftover => ({ kind: "mount", what })),
  ];
};

const stillThere = (...paths: readonly string[]): readonly Leftover[] =>
  paths.filter((path) => existsSync(path)).map((what) => ({ kind: "directory", what }));

/**
 * By uid, which no other slot and no other program has. Until none is seen: one may have forked.
 *
 * @returns those that were still there when patience ended.
 */
const killSlotProcesses = async (slot: Slot): Promise<readonly number[]> => {
  const uids = new Set(slotUids(slot.number));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = processesOfUids(uids);
    if (found.length === 0 || performance.now() >= deadline) return found;
    for (const pid of found) kill(pid);
    await delay(POLL_MS);
  }
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errnoOf(error) !== "ESRCH") throw error;
  }
};

const mountsUnder = (directory: string): readonly string[] =>
  parseMounts(readFileSync("/proc/self/mountinfo", "utf8"))
    .map(({ target }) => target)
    .filter((target) => target === directory || target.startsWith(`${directory}/`));
