import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CgroupMount,
  type Membership,
  parseCgroupMounts,
  parseControllers,
  parseMemberships,
} from "./parse.js";

export type Controller = "memory" | "pids" | "cpu" | "io";
export const CONTROLLERS: readonly Controller[] = ["memory", "pids", "cpu", "io"];

/** Where one controller can be used, and the directory of the cgroup we are in. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly controller: Controller;
  readonly mountPoint: string;
  readonly current: string;
}

/** What this machine has: a controller that is in neither version is absent. */
export type Hierarchies = Readonly<Partial<Record<Controller, Hierarchy>>>;

/** Version 1 called the io controller blkio. */
const V1_NAME: Readonly<Record<Controller, string>> = {
  memory: "memory",
  pids: "pids",
  cpu: "cpu",
  io: "blkio",
};

export const detectHierarchies = (): Hierarchies =>
  chooseHierarchies(
    parseCgroupMounts(readFileSync("/proc/self/mountinfo", "utf8")),
    parseMemberships(readFileSync("/proc/self/cgroup", "utf8")),
    (directory) => {
      const path = join(directory, "cgroup.controllers");
      return existsSync(path) ? parseControllers(readFileSync(path, "utf8")) : [];
    },
  );

/** Version 2 wherever it has the controller; on a hybrid machine version 1 has the rest. */
export const chooseHierarchies = (
  mounts: readonly CgroupMount[],
  memberships: readonly Membership[],
  controllersOf: (directory: string) => readonly string[],
): Hierarchies => {
  const found: Partial<Record<Controller, Hierarchy>> = {};
  for (const controller of CONTROLLERS) {
    const hierarchy =
      unified(controller, mounts, memberships, controllersOf) ??
      legacy(controller, mounts, memberships);
    if (hierarchy !== undefined) found[controller] = hierarchy;
  }
  return found;
};

const unified = (
  controller: Controller,
  mounts: readonly CgroupMount[],
  memberships: readonly Membership[],
  controllersOf: (directory: string) => readonly string[],
): Hierarchy | undefined => {
  const mount = mounts.find(({ version }) => version === 2);
  const member = memberships.find(({ hierarchy }) => hierarchy === 0);
  if (mount === undefined || member === undefined) return undefined;
  if (!controllersOf(mount.mountPoint).includes(controller)) return undefined;
  const current = directoryOf(mount, member.path);
  return { version: 2, controller, mountPoint: mount.mountPoint, current };
};

const legacy = (
  controller: Controller,
  mounts: readonly CgroupMount[],
  memberships: readonly Membership[],
): Hierarchy | undefined => {
  const name = V1_NAME[controller];
  const mount = mounts.find(({ version, options }) => version === 1 && options.includes(name));
  const member = memberships.find(({ controllers }) => controllers.includes(name));
  if (mount === undefined || member === undefined) return undefined;
  const current = directoryOf(mount, member.path);
  return { version: 1, controller, mountPoint: mount.mountPoint, current };
};

/** In a container the mount shows a subtree: its root is cut off the path we were told. */
const directoryOf = (mount: CgroupMount, path: string): string => {
  const inside =
    mount.root !== "/" && (path === mount.root || path.startsWith(`${mount.root}/`))
      ? path.slice(mount.root.length)
      : path;
  return inside === "/" ? mount.mountPoint : join(mount.mountPoint, inside);
};
