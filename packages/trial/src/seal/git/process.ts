import { type ChildProcess, spawn } from "node:child_process";
import { PassThrough, Transform } from "node:stream";
import type { GitExit, GitProcess } from "./runner.js";

const STDERR_BYTES = 16 * 1024;
/** Status text of the launcher; its own bound is 1 KiB. */
const STATUS_BYTES = 4 * 1024;

export interface BoundedProcess {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly deadlineMs: number;
  readonly outputBytes: number;
  readonly ids?: { readonly uid: number; readonly gid: number };
  /** Descriptor 3 is a pipe that stays silent unless the launcher fails before it executes git. */
  readonly status: boolean;
}

/** Starts a process in its own group, with a deadline and a bound on what it may print. */
export const startBoundedProcess = (request: BoundedProcess): GitProcess => {
  const child = spawn(request.program, request.args, {
    cwd: request.cwd,
    env: { ...request.environment },
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...(request.status ? (["pipe"] as const) : [])],
    ...(request.ids ?? {}),
  });
  let stopped: "deadline" | "flooded" | undefined;
  const stop = (reason: "deadline" | "flooded" | undefined): void => {
    stopped ??= reason;
    killGroup(child);
  };
  const timer = setTimeout(() => stop("deadline"), request.deadlineMs);
  const stderr = collect(child.stderr, STDERR_BYTES);
  const status = collect(request.status ? child.stdio[3] : null, STATUS_BYTES);
  const stdout = limited(request.outputBytes, () => stop("flooded"));
  child.stdout?.pipe(stdout);
  // A process that ends early closes its stdin; what that means is told by `exit`.
  child.stdin?.on("error", () => undefined);

  const exit = new Promise<GitExit>((resolve) => {
    child.on("error", (error) => {
      if (child.pid !== undefined) return;
      clearTimeout(timer);
      stdout.end();
      resolve({ kind: "not-started", reason: error.message });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (child.pid === undefined) return;
      const text = stderr();
      if (stopped !== undefined) resolve({ kind: stopped, stderr: text });
      else if (status() !== "") resolve({ kind: "not-started", reason: status().trim() });
      else if (signal !== null) resolve({ kind: "signalled", signal, stderr: text });
      else resolve({ kind: "exited", code: code ?? -1, stderr: text });
    });
  });
  return {
    stdin: child.stdin ?? new PassThrough(),
    stdout,
    exit,
    stop: () => stop(undefined),
  };
};

/** Once the leader is reaped its number may belong to somebody else, so it is not signalled. */
const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return;
  if (child.exitCode !== null || child.signalCode !== null) {
    child.stdout?.destroy();
    child.stderr?.destroy();
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // ESRCH: the group is gone already, which is what was wanted.
  }
};

const collect = (
  stream: NodeJS.ReadableStream | NodeJS.WritableStream | null | undefined,
  limit: number,
): (() => string) => {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    const kept = chunk.subarray(0, limit - size);
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  return () => Buffer.concat(chunks).toString("utf8");
};

const limited = (limit: number, onFlood: () => void): Transform => {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed <= limit) return done(null, chunk);
      onFlood();
      done();
    },
  });
};
