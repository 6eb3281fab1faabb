import { readFileSync } from "node:fs";

/**
 * A process, named so that no other can be mistaken for it: process ids are reused, start times
 * (clock ticks since boot) repeat after a reboot, boot ids do not repeat.
 */
export interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
}

const OWNER = /^([1-9][0-9]{0,9})-([0-9]{1,20})-([0-9a-f-]{36})$/;

export const formatOwner = ({ pid, start, boot }: Owner): string => `${pid}-${start}-${boot}`;

export const parseOwner = (text: string): Owner | undefined => {
  const [, pid, start, boot] = OWNER.exec(text) ?? [];
  return pid === undefined || start === undefined || boot === undefined
    ? undefined
    : { pid: Number(pid), start, boot };
};

export const thisProcess = (): Owner => {
  const start = startTime(process.pid);
  if (start === undefined) throw new Error("/proc does not show this process; is /proc mounted?");
  return { pid: process.pid, start, boot: bootId() };
};

export const isAlive = (owner: Owner): boolean =>
  owner.boot === bootId() && owner.start === startTime(owner.pid);

const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

const startTime = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // proc(5): the command name is in parentheses and may contain any byte, so count from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: the process ended between open and read.
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
};
