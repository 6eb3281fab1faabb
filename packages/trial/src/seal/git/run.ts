import { sealError } from "../errors.js";
import { display } from "../names/display.js";
import type { GitCall, GitExit, GitProcess, GitRunner } from "./runner.js";

export interface GitResult {
  readonly stdout: Buffer;
  readonly exit: GitExit;
}

/** Runs one call to its end. `input` is written to stdin, which is closed in any case. */
export const runGit = async (
  runner: GitRunner,
  call: GitCall,
  input?: string | Buffer,
): Promise<GitResult> => {
  const git = runner(call);
  git.stdin.end(input);
  const chunks: Buffer[] = [];
  for await (const chunk of git.stdout) chunks.push(chunk as Buffer);
  return { stdout: Buffer.concat(chunks), exit: await git.exit };
};

/** Like `runGit`; every exit but 0 is an error. */
export const requireGit = async (
  runner: GitRunner,
  call: GitCall,
  input?: string | Buffer,
): Promise<Buffer> => {
  const { stdout, exit } = await runGit(runner, call, input);
  requireSuccess(exit, call.args[0] ?? "");
  return stdout;
};

export const succeeded = (exit: GitExit): boolean => exit.kind === "exited" && exit.code === 0;

/** Throws GIT_DEADLINE, GIT_OUTPUT or GIT_FAILED unless the process exited with 0. */
export const requireSuccess = (exit: GitExit, what: string): void => {
  switch (exit.kind) {
    case "exited":
      if (exit.code === 0) return;
      throw sealError("GIT_FAILED", `git ${what} exited with ${exit.code}: ${reason(exit)}`);
    case "signalled":
      throw sealError("GIT_FAILED", `git ${what} was ended by ${exit.signal}: ${reason(exit)}`);
    case "deadline":
      throw sealError("GIT_DEADLINE", `git ${what} did not finish in time`, {
        fix: "try a smaller source, or clone it yourself and give the directory",
      });
    case "flooded":
      throw sealError("GIT_OUTPUT", `git ${what} printed more than its bound`, {
        fix: "seal a smaller tree",
      });
    case "not-started":
      throw sealError("GIT_FAILED", `git ${what} could not start: ${display(exit.reason)}`, {
        fix: "run drydock doctor, which checks git and the launcher",
      });
  }
};

/** The last thing git said, in one safe line. */
export const reason = (exit: GitExit): string => {
  if (exit.kind === "not-started") return display(exit.reason);
  const lines = exit.stderr.split("\n").filter((line) => line.trim() !== "");
  const told = lines.find((line) => line.startsWith("fatal:")) ?? lines.at(-1) ?? "no message";
  return display(told.replace(/^(fatal|error): /, ""));
};

/**
 * Waits for a pipeline's processes; whichever fails first stops the others. In the order in which
 * they ended, so that the first failure is the reason and not what it brought upon the others; a
 * broken pipe is always something that was brought upon.
 */
export const waitForAll = async (
  processes: readonly { readonly name: string; readonly git: GitProcess }[],
): Promise<readonly { readonly name: string; readonly exit: GitExit }[]> => {
  const ended: { readonly name: string; readonly exit: GitExit }[] = [];
  await Promise.all(
    processes.map(async ({ name, git }) => {
      const exit = await git.exit;
      ended.push({ name, exit });
      if (!succeeded(exit)) for (const other of processes) other.git.stop();
    }),
  );
  return ended.sort((a, b) => Number(isBrokenPipe(a.exit)) - Number(isBrokenPipe(b.exit)));
};

const isBrokenPipe = (exit: GitExit): boolean =>
  exit.kind === "signalled" && exit.signal === "SIGPIPE";
