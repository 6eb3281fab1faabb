import { spawn } from "node:child_process";
import { constants } from "node:os";

/** What a shell says of a program that there isn't, and of one that can't be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/** From a terminal these reach the command by themselves; others are for whoever it is started by. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;
const TO_HAND_ON = ["SIGHUP", "SIGTERM", "SIGUSR1", "SIGUSR2"] as const;

interface Beside {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user: { readonly uid: number; readonly gid: number };
}

/**
 * Runs a command on this process's own descriptors, without its rights: another user, no groups, and
 * so no capability. Resolves to the exit status, or the signal, that it ended with.
 */
export const runBeside = ({ command, env, user }: Beside): Promise<number | NodeJS.Signals> =>
  new Promise((resolve) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, ...user, stdio: "inherit" });
    for (const signal of FROM_TERMINAL) process.on(signal, () => undefined);
    for (const signal of TO_HAND_ON) process.on(signal, () => void child.kill(signal));
    child.on("error", (error: NodeJS.ErrnoException) => {
      process.stderr.write(`drydock: ${program}: ${error.code ?? error.message}\n`);
      resolve(error.code === "ENOENT" ? NOT_FOUND : NOT_RUNNABLE);
    });
    child.on("exit", (code, signal) => resolve(signal ?? code ?? 0));
  });

/** Ends this process as the command ended, so that whoever started it is told the truth. */
export const endAs = (end: number | NodeJS.Signals): void => {
  if (typeof end === "number") {
    process.exitCode = end;
    return;
  }
  process.removeAllListeners(end);
  process.kill(process.pid, end);
  // Of a signal that is ignored here, or that Node keeps for itself.
  process.exitCode = 128 + constants.signals[end];
};
