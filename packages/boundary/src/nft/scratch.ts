import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type NetworkNamespace,
  openNamespace,
  startTimeOf,
  TOOL_DIRECTORIES,
} from "./namespace.js";
import { findTool } from "./tool.js";

/**
 * Runs something in a network namespace that nobody else is in, and that is gone afterwards: it
 * lasts as long as a `cat` that reads from here.
 *
 * @throws DrydockError UNSHARE_MISSING
 */
export const withScratchNetwork = async <T>(
  use: (namespace: NetworkNamespace) => Promise<T>,
  directories: readonly string[] = TOOL_DIRECTORIES,
): Promise<T> => {
  const child = spawn(
    findTool("unshare", directories),
    ["--net", "--", findTool("cat", directories)],
    { env: {}, stdio: ["pipe", "pipe", "ignore"] },
  );
  const ended = once(child, "close");
  try {
    // cat answers from within: before, the process is still where its parent is.
    child.stdin.write("\n");
    await Promise.race([once(child.stdout, "data"), ended]);
    const pid = child.pid ?? 0;
    using namespace = openNamespace(
      { kind: "pid", pid, startTime: startTimeOf(pid) ?? 0 },
      directories,
    );
    return await use(namespace);
  } finally {
    child.stdin.end();
    await ended;
  }
};
