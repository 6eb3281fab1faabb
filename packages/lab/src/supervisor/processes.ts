import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram, type Program } from "./program.js";

/** Nothing of anybody's environment: a lab's processes are told what they need, and no more. */
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** From here on descriptor 3 is read once, whole, as the process's job. */
export const JOB_DESCRIPTOR = 3;

export interface LabProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when it is gone and its output was read; null for one that never was. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts a program of the lab in a session of its own, with a job that nobody sees in a list of
 * processes. Its messages are whoever's terminal started this.
 *
 * @param by programs that it is started through, such as `unshare`
 */
export const startProcess = (program: Program, job: unknown, by: readonly string[]): LabProcess => {
  const [command = "", ...args] = [
    ...by,
    process.execPath,
    ...process.execArgv,
    findProgram(program),
  ];
  const child = spawn(command, args, {
    cwd: "/",
    env: ENVIRONMENT,
    detached: true,
    stdio: ["pipe", "pipe", "inherit", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code));
  });
  // One that ends early ends with a code; that its pipes broke says nothing more.
  const { stdin, stdout, stdio } = child;
  const given = stdio[JOB_DESCRIPTOR] as Writable;
  for (const pipe of [stdin, stdout, given]) pipe?.on("error", () => undefined);
  given.end(JSON.stringify(job));
  return {
    child,
    pid: child.pid ?? 0,
    input: stdin as Writable,
    output: stdout as Readable,
    ended,
  };
};

/** The kernel kills it when the one that started it is gone, however that went. */
export const WITH_ITS_STARTER = ["setpriv", "--pdeathsig", "KILL"] as const;

const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/**
 * Kills a process that was started here, and what it started, and waits until none is left.
 *
 * @returns false when something of it lives after ten seconds, in whatever sleep the kernel has it
 */
export const killAll = async ({ child, pid, ended }: LabProcess): Promise<boolean> => {
  if (pid === 0) return true;
  const late = Date.now() + PATIENCE_MS;
  do {
    // By the group: a proxy or a worker of it may have outlived its leader.
    signalGroup(pid);
    if (!livesGroup(pid)) {
      if (child.exitCode === null && child.signalCode === null)
        await Promise.race([ended, pause(LOOK_AGAIN_MS)]);
      else return true;
    } else await pause(LOOK_AGAIN_MS);
  } while (Date.now() < late);
  return false;
};

const signalGroup = (group: number): void => {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** Not by a signal of 0: a member that nobody has waited for yet would count. */
const livesGroup = (group: number): boolean =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .some((pid) => {
      const [state, , itsGroup] = fieldsOf(pid);
      return itsGroup === `${group}` && state !== "Z" && state !== "X";
    });

/** State, parent and group of a process; see proc(5). Its name may hold spaces and parentheses. */
const fieldsOf = (pid: string): readonly string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    // Gone meanwhile.
    return [];
  }
};
