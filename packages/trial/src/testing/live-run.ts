import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { listSlots, readOwner, type Slot, slotAt } from "@drydock/vm";

/** Which process of a run. A supervisor holds the process namespace of port or broker, as root. */
export type Role =
  | "launcher"
  | "controller"
  | "port"
  | "portSupervisor"
  | "egress"
  | "egressSupervisor"
  | "reaper"
  | "vmm";

/** A run as the kernel shows it at one moment. */
export interface LiveRun {
  readonly run: string;
  /** Null once it is destroyed: the last steps of a run have none. */
  readonly slot: Slot | null;
  readonly pids: ReadonlyMap<Role, number>;
  /** Namespaces that are the run's own, such as `net:[4026532000]`. */
  readonly namespaces: ReadonlySet<string>;
  /** When it was looked at, in clock ticks since boot. */
  readonly seenAt: number;
}

/** Looks at a run whose launcher is process `launcher`. */
export const findRun = (run: string, launcher: number): LiveRun => {
  const slot = slotOf(run);
  const pids = new Map<Role, number>([["launcher", launcher], ...namedProcesses(run)]);
  if (slot !== null)
    for (const pid of allProcesses()) {
      const uid = uidOf(pid);
      if (uid === slot.vmm.uid) pids.set("vmm", pid);
      for (const role of ["port", "egress"] as const)
        if (uid === slot[role].uid) pids.set(role, pid).set(`${role}Supervisor`, parentOf(pid));
    }
  const host = namespacesOf(process.pid);
  const own = [...pids.values()].flatMap((pid) => [...namespacesOf(pid)]);
  return {
    run,
    slot,
    pids,
    namespaces: new Set(own.filter((name) => !host.has(name))),
    seenAt: ticksNow(),
  };
};

/** USER_HZ is 100 on every Linux that Node runs on; see proc(5). */
const ticksNow = (): number => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 100;

const slotOf = (run: string): Slot | null =>
  listSlots()
    .map((number) => slotAt(number, run))
    .find((slot) => readOwner(slot)?.run === run) ?? null;

/** Those who have the run's name in their arguments. */
const namedProcesses = (run: string): readonly (readonly [Role, number])[] =>
  allProcesses().flatMap((pid): readonly (readonly [Role, number])[] => {
    const [program = "", first = "", ...rest] = readOf(pid, "cmdline")?.split("\0") ?? [];
    if (![first, ...rest].some((argument) => argument.includes(run))) return [];
    if (first === "reap") return [["reaper", pid]];
    return program === "/run/drydock/node" ? [["controller", pid]] : [];
  });

export const allProcesses = (): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^[1-9][0-9]*$/.test(name))
    .map(Number);

/** Undefined when the process has gone. */
export const readOf = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

export const linkOf = (pid: number, file: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/${file}`);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

/** EACCES, EPERM and EINVAL too: a kernel thread, or one whose namespaces have just gone. */
const isGone = (error: unknown): boolean =>
  ["ENOENT", "ESRCH", "EACCES", "EPERM", "EINVAL"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );

export const statusOf = (pid: number, field: string): string | undefined =>
  readOf(pid, "status")?.match(new RegExp(`^${field}:[ \\t]*(.*)$`, "m"))?.[1];

export const uidOf = (pid: number): number => Number(statusOf(pid, "Uid")?.split("\t")[0] ?? -1);
const parentOf = (pid: number): number => Number(statusOf(pid, "PPid") ?? 0);
export const isZombie = (pid: number): boolean => statusOf(pid, "State")?.startsWith("Z") === true;

const NAMESPACES = ["mnt", "net", "ipc", "uts", "pid"] as const;

export const namespacesOf = (pid: number): ReadonlySet<string> =>
  new Set(NAMESPACES.flatMap((name) => linkOf(pid, `ns/${name}`) ?? []));
