import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { isDrydockError } from "@drydock/evidence";
import { errnoOf, vmError } from "../errors.js";
import { type Controller, detectHierarchies, type Hierarchies } from "./detect.js";
import { readControl } from "./files.js";
import { type CgroupLimits, type EffectiveLimits, limitDifferences } from "./limits.js";
import { parseCounters, parsePids } from "./parse.js";
import { readV1, setV1 } from "./v1.js";
import { findV2Parent, readV2, setV2 } from "./v2.js";

/**
 * Without these nothing is started. Io needs a block device to name, so it is asked for apart, and
 * so is cpu: only a VMM would use all there is.
 */
const REQUIRED: readonly Controller[] = ["memory", "pids"];

/** One run's group, in as many hierarchies as this machine needs for it. JSON-able. */
export interface Cgroup {
  readonly name: string;
  readonly parts: readonly CgroupPart[];
}

export interface CgroupPart {
  readonly version: 1 | 2;
  readonly directory: string;
  readonly controllers: readonly Controller[];
}

/**
 * Where the group for these limits will be, before it is made: the caller records these paths
 * first, so that a crash in between leaves nothing that no one knows of.
 *
 * @throws DrydockError LIMIT_UNATTACHED naming the controller.
 */
export const planCgroup = (
  name: string,
  limits: CgroupLimits,
  hierarchies: Hierarchies = detectHierarchies(),
): Cgroup => {
  const wanted: readonly Controller[] = [
    ...REQUIRED,
    ...(limits.cpuMillis === null ? [] : (["cpu"] as const)),
    ...(limits.io === null ? [] : (["io"] as const)),
  ];
  const found = wanted.map((controller) => {
    const hierarchy = hierarchies[controller];
    if (hierarchy === undefined) throw unattached(`no cgroup controller "${controller}"`);
    return hierarchy;
  });
  const parts: CgroupPart[] = found
    .filter(({ version }) => version === 1)
    .map(({ controller, current }) => ({
      version: 1,
      directory: join(current, name),
      controllers: [controller],
    }));
  const unified = found.filter(({ version }) => version === 2);
  const first = unified[0];
  if (first !== undefined) {
    const controllers = unified.map(({ controller }) => controller);
    const parent = findV2Parent(first.current, first.mountPoint, controllers);
    if (parent === undefined) {
      throw unattached(`no cgroup above ${first.current} can hand on ${controllers.join(", ")}`);
    }
    parts.push({ version: 2, directory: join(parent, name), controllers });
  }
  return { name, parts: mergeByDirectory(parts) };
};

/**
 * Makes the group, sets every limit and reads each one back.
 *
 * @throws DrydockError LIMIT_UNATTACHED when the kernel doesn't hold a limit as asked; nothing of
 * the group is left then.
 */
export const createCgroup = (cgroup: Cgroup, limits: CgroupLimits): EffectiveLimits => {
  try {
    for (const { directory, version, controllers } of cgroup.parts) {
      mkdirSync(directory, { recursive: false });
      for (const controller of controllers) {
        (version === 1 ? setV1 : setV2)(directory, controller, limits);
      }
    }
    const effective = readLimits(cgroup);
    const differences = limitDifferences(limits, effective);
    if (differences.length > 0) throw unattached(differences.join("; "));
    return effective;
  } catch (error) {
    for (const { directory } of cgroup.parts) removeEmpty(directory);
    if (isDrydockError(error) || errnoOf(error) === undefined) throw error;
    throw unattached(error instanceof Error ? error.message : "unknown failure", error);
  }
};

/** What the kernel holds now. Anything that no part controls is null. */
export const readLimits = (cgroup: Cgroup): EffectiveLimits => {
  const none = { memoryBytes: null, swapBytes: null, pids: null, cpuMillis: null, io: null };
  return Object.assign(
    none,
    ...cgroup.parts.flatMap(({ directory, version, controllers }) =>
      controllers.map((controller) => (version === 1 ? readV1 : readV2)(directory, controller)),
    ),
  );
};

/** The `cgroup.procs` files to write to; the launcher enters them before it does anything else. */
export const joinFiles = (cgroup: Cgroup): readonly string[] =>
  cgroup.parts.map(({ directory }) => join(directory, "cgroup.procs"));

/** Directories of the group that the process isn't in, by the group's own list. */
export const missingMemberships = (cgroup: Cgroup, pid: number): readonly string[] =>
  cgroup.parts
    .filter(({ directory }) => !membersOf(directory).includes(pid))
    .map(({ directory }) => directory);

export const membersOf = (directory: string): readonly number[] =>
  parsePids(readControl(directory, "cgroup.procs") ?? "");

export interface CgroupUsage {
  readonly peakMemoryBytes: number | null;
  readonly peakPids: number | null;
  readonly oomKills: number | null;
}

/** High-water marks. Null where this kernel doesn't count. */
export const readUsage = (cgroup: Cgroup): CgroupUsage => {
  const number = (file: string): number | null => {
    for (const { directory } of cgroup.parts) {
      const text = readControl(directory, file);
      if (text !== undefined) return Number(text.trim());
    }
    return null;
  };
  const counter = (file: string, key: string): number | null => {
    for (const { directory } of cgroup.parts) {
      const text = readControl(directory, file);
      const value = text === undefined ? undefined : parseCounters(text).get(key);
      if (value !== undefined) return value;
    }
    return null;
  };
  return {
    peakMemoryBytes: number("memory.peak") ?? number("memory.max_usage_in_bytes"),
    peakPids: number("pids.peak"),
    oomKills: counter("memory.events", "oom_kill") ?? counter("memory.oom_control", "oom_kill"),
  };
};

export const removeEmpty = (directory: string): boolean => {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return true;
    if (errnoOf(error) === "EBUSY") return false;
    throw error;
  }
};

/** Controllers that are mounted together share a directory. */
const mergeByDirectory = (parts: readonly CgroupPart[]): readonly CgroupPart[] => {
  const merged = new Map<string, CgroupPart>();
  for (const part of parts) {
    const known = merged.get(part.directory);
    merged.set(part.directory, {
      ...part,
      controllers: [...(known?.controllers ?? []), ...part.controllers],
    });
  }
  return [...merged.values()];
};

const unattached = (what: string, cause?: unknown): Error =>
  vmError("LIMIT_UNATTACHED", `a limit can't be attached: ${what}`, {
    fix: "Run as root outside a container, or under `systemd-run --scope -p Delegate=yes`; `drydock doctor` names the controllers that are missing.",
    cause,
  });
