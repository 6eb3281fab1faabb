import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, RUNTIME_DIRECTORY, readOwner } from "@drydock/vm";
import type { TestState } from "./command-line.js";
import { allProcesses, isZombie, type LiveRun, namespacesOf, readOf, uidOf } from "./live-run.js";

/** Ids that only processes of this slot may wear. */
const IDS_PER_SLOT = 4;

/** Everything of a run that this machine still holds, in words; empty when it is gone. */
export const leftoversOf = (live: LiveRun, state: TestState): readonly string[] => [
  ...processesLeft(live),
  ...directoriesLeft(live, state),
  ...cgroupsLeft(live.run),
  ...mountsLeft(live),
];

const processesLeft = ({ run, slot, namespaces, seenAt }: LiveRun): readonly string[] =>
  allProcesses()
    .filter((pid) => pid !== process.pid && !isZombie(pid))
    .flatMap((pid) => {
      const uid = uidOf(pid);
      const command = readOf(pid, "cmdline")?.replaceAll("\0", " ") ?? "";
      // The kernel gives the number of a namespace that is gone to the next one: a process that began
      // later is in another. Whoever forked it inside would be found as well.
      const old = (identifyProcess(pid)?.startTime ?? Number.POSITIVE_INFINITY) <= seenAt;
      const own = !old
        ? []
        : [...namespacesOf(pid)].filter((namespace) => namespaces.has(namespace));
      return [
        ...(wearsIdOf(slot, uid) && ownsSlot(run, slot) ? [`process ${pid} of user ${uid}`] : []),
        ...(command.includes(run) ? [`process ${pid}: ${command.slice(0, 200)}`] : []),
        ...own.map((namespace) => `namespace ${namespace} of process ${pid}`),
      ];
    });

const wearsIdOf = (slot: LiveRun["slot"], uid: number): boolean =>
  slot !== null && uid >= slot.vmm.uid && uid < slot.vmm.uid + IDS_PER_SLOT;

/** A later run may have taken the slot; its processes are its own. */
const ownsSlot = (run: string, slot: LiveRun["slot"]): boolean => {
  if (slot === null) return false;
  const owner = readOwner(slot)?.run;
  return owner === undefined || owner === run;
};

const directoriesLeft = ({ run, slot }: LiveRun, state: TestState): readonly string[] => {
  const scratch = join(state.directory, "runs", `.scratch-${run}`);
  return [
    ...(slot !== null && readOwner(slot)?.run === run ? [`directory ${slot.directory}`] : []),
    ...(existsSync(scratch) ? [`directory ${scratch}`] : []),
    ...readdirSync(state.temporary).map((name) => `file ${join(state.temporary, name)}`),
    ...pathsUnder(RUNTIME_DIRECTORY)
      .filter((path) => path.includes(run))
      .map((path) => `file ${path}`),
  ];
};

/** In every hierarchy: version 1 has one for each controller. */
const cgroupsLeft = (run: string): readonly string[] =>
  pathsUnder("/sys/fs/cgroup", "directories")
    .filter((path) => path.includes(run))
    .map((path) => `cgroup ${path}`);

/** Other runs come and go while this one looks. */
const pathsUnder = (directory: string, which?: "directories"): readonly string[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => which === undefined || entry.isDirectory())
      .flatMap((entry) => {
        const path = join(directory, entry.name);
        return entry.isDirectory() ? [path, ...pathsUnder(path, which)] : [path];
      });
  } catch (error) {
    if (["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
};

/**
 * In every mount namespace that anybody is in, by the run's name; those of its own namespaces are
 * found with the namespaces. The slot's directory would be no sign: a later run may have it.
 */
const mountsLeft = ({ run }: LiveRun): readonly string[] => [
  ...new Set(
    allProcesses().flatMap((pid) =>
      (readOf(pid, "mountinfo") ?? "")
        .split("\n")
        .filter((line) => line.includes(run))
        .map((line) => `mount ${line}`),
    ),
  ),
];
