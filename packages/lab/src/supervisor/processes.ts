import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { findProgram, type Program } from "./program.js";

/** Nothing of anybody's environment: a lab's processes are told what they need, and no more. */
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** From here on descriptor 3 is read once, whole, as the process's job. */
export const JOB_DESCRIPTOR = 3;

export interface LabProcess {
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
export const killAll = async ({ pid, ended }: LabProcess): Promise<boolean> => {
  if (pid === 0) return true;
  const late = performance.now() + PATIENCE_MS;
  const isOfIt = ({ group }: Neighbour): boolean => group === pid;
  while (performance.now() < late) {
    // A proxy or a worker may have outlived the one that started it.
    const left = neighbours().filter(isOfIt);
    if (left.length === 0) {
      const given = pause(PATIENCE_MS, false, { ref: false });
      return await Promise.race([ended.then(() => true), given]);
    }
    for (const one of left) kill(one.pid);
    await pause(LOOK_AGAIN_MS);
  }
  return false;
};

interface Neighbour {
  readonly pid: number;
  readonly group: number;
}

/**
 * Living processes in this one's network namespace, besides itself. It was made for them, so that a
 * number that was given to somebody else meanwhile isn't taken for one of theirs.
 */
export const neighbours = (): readonly Neighbour[] => {
  const own = namespaceOf("self");
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => namespaceOf(name) === own)
    .flatMap((name) => {
      const group = groupOf(name);
      return group === null ? [] : [{ pid: Number(name), group }];
    });
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** Null for one that is gone, also while nobody has waited for it yet. */
const namespaceOf = (pid: string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    // Whatever the reason, it isn't one of this namespace that could be looked at.
    return null;
  }
};

/** The fifth field; see proc(5). A name before it may hold spaces and parentheses. */
const groupOf = (pid: string): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
  } catch {
    // Gone meanwhile.
    return null;
  }
};
