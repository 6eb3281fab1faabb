import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram } from "../../supervisor/program.js";
import type { WorkerJob } from "./job.js";

/** How a worker ended. */
export interface WorkerEnd {
  /** By SIGKILL, and not because it took too long. */
  readonly killed: boolean;
  /** What it says of itself where it wasn't: a code, or how it ended. */
  readonly why: string;
}

/** Whatever it does takes a second; a machine can be busy. */
const PATIENCE_MS = 30_000;

/** A code, or nothing that could be something else. */
const CODE = /^[A-Za-z0-9_]{1,64}$/;

/**
 * Has a process of its own do one step, and waits until it is gone. It is told over a pipe what no
 * list of processes may show, and the kernel ends it with the one that started it.
 */
export const runWorker = async (job: WorkerJob): Promise<WorkerEnd> => {
  const program = [process.execPath, ...process.execArgv, findProgram("worker")];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...program], {
    cwd: "/",
    stdio: ["pipe", "pipe", "inherit"],
  });
  let late = false;
  const patience = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, PATIENCE_MS);
  try {
    const ended = once(child, "close");
    // One that ends before it was told all says how it ended.
    child.stdin.on("error", () => undefined).end(JSON.stringify(job));
    const said = Buffer.concat(await child.stdout.toArray()).toString("latin1");
    await ended;
    return {
      killed: child.signalCode === "SIGKILL" && !late,
      why: late ? "took too long" : CODE.test(said) ? said : `ended with ${child.exitCode}`,
    };
  } finally {
    clearTimeout(patience);
  }
};
