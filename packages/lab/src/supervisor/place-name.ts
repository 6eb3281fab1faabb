import { readFileSync } from "node:fs";

/**
 * The process that makes a place, so that no later one is taken for it: numbers are given again,
 * start times (ticks since boot) come again after a boot, and a boot's id doesn't.
 */
interface Maker {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
}

const FORM =
  /^rehearsal-([1-9][0-9]{0,9})-([0-9]{1,20})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([A-Za-z0-9]{6})$/;

/**
 * What a place of this process begins with; six letters that nobody foresees come after it. The
 * name says whose it is, because a file in it could be missing from one whose maker died early.
 */
export const placePrefix = (): string =>
  `rehearsal-${process.pid}-${startOf(process.pid) ?? ""}-${bootId()}-`;

/** Those six letters; null for what isn't the name of a place. */
export const suffixOf = (name: string): string | null => FORM.exec(name)?.[4] ?? null;

/** Guard: whether it is a place, and whoever made it is gone. One of a process that lives is in use. */
export const isAbandoned = (name: string): boolean => {
  const [, pid, start, boot] = FORM.exec(name) ?? [];
  if (pid === undefined || start === undefined || boot === undefined) return false;
  return !isAlive({ pid: Number(pid), start, boot });
};

const isAlive = ({ pid, start, boot }: Maker): boolean =>
  boot === bootId() && start === startOf(pid);

const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** The third and the twenty-second field; see proc(5). Null for one that is gone, also as a zombie. */
const startOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // A name before them may hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /^[ZXx]$/.test(fields[0] ?? "") ? null : (fields[19] ?? null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: it ended between open and read. Whatever else it is, nobody is known to be gone.
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
};
