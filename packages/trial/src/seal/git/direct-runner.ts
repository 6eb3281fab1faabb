import { composeGitCommand } from "./command.js";
import { startBoundedProcess } from "./process.js";
import type { GitRunner } from "./runner.js";

/**
 * Runs git without a wall, as the given user: for tests of the rules that hold without one, and
 * for machines that have no launcher. Shipped sealing uses `jailedGitRunner`.
 */
export const directGitRunner =
  (ids?: { readonly uid: number; readonly gid: number }): GitRunner =>
  (call) => {
    const command = composeGitCommand(call, {
      vault: call.vault,
      objects: call.objects ?? "",
      workTree: call.workTree ?? "",
    });
    const [program = "", ...args] = command.argv;
    return startBoundedProcess({
      program,
      args,
      environment: command.environment,
      cwd: call.workTree ?? call.vault,
      deadlineMs: call.deadlineMs,
      outputBytes: call.outputBytes,
      status: false,
      ...(ids === undefined ? {} : { ids }),
    });
  };
