import { readdirSync, readFileSync } from "node:fs";
import { errnoOf } from "../errors.js";

/** A process that can't be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot: field 22 of /proc/<pid>/stat, see proc(5). */
  readonly startTime: number;
}

/** Undefined when there is no such process. A zombie counts: it still owns its number. */
export const identifyProcess = (pid: number): ProcessIdentity | undefined => {
  const startTime = readStat(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
};

/** Whether that very process still runs; a zombie doesn't. */
export const isProcessAlive = (identity: ProcessIdentity): boolean => {
  const stat = readStat(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== "Z";
};

/** Random id that the kernel draws at each boot: numbers and start times mean nothing across it. */
export const readBootId = (): string =>
  readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** Ids of all processes whose real, effective or saved uid is one of `uids`. */
export const processesOfUids = (uids: ReadonlySet<number>): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^[1-9][0-9]*$/.test(name))
    .map(Number)
    .filter((pid) => uidsOf(pid).some((uid) => uids.has(uid)));

export interface ProcessStat {
  readonly state: string;
  readonly startTime: number;
}

/** The name in parentheses may itself hold spaces and parentheses: fields count from the last one. */
export const parseStat = (text: string): ProcessStat | undefined => {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTime = Number(fields[19]);
  return state !== undefined && state !== "" && Number.isSafeInteger(startTime)
    ? { state, startTime }
    : undefined;
};

/** Whether real, effective or saved uid of the process is `uid`; a process that is gone has none. */
export const isProcessOf = (pid: number, uid: number): boolean => uidsOf(pid).includes(uid);

const readStat = (pid: number): ProcessStat | undefined => {
  const text = readProcessFile(pid, "stat");
  return text === undefined ? undefined : parseStat(text);
};

const uidsOf = (pid: number): readonly number[] => {
  const line = readProcessFile(pid, "status")?.match(/^Uid:\t(.*)$/m)?.[1];
  return line === undefined ? [] : line.split("\t").map(Number);
};

/** Undefined when the process has gone, also while it was being read. */
export const readProcessFile = (pid: number, name: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ESRCH") return undefined;
    throw error;
  }
};
