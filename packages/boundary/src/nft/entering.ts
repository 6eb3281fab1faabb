import type { NetworkNamespace } from "./namespace.js";
import { findTool, type Tool } from "./tool.js";

/**
 * What setpriv has to be given to run a tool in the namespace that is its descriptor 3, and to end it
 * with the thread that started it (PR_SET_PDEATHSIG, which an exec keeps): nobody is left to be
 * answered then, and some tools wait for ever.
 *
 * @throws DrydockError what `findTool` throws
 */
export const entering = (
  { toolDirectories }: Pick<NetworkNamespace, "toolDirectories">,
  tool: Tool,
  args: readonly string[],
): readonly string[] => {
  const program = findTool(tool, toolDirectories);
  const nsenter = findTool("nsenter", toolDirectories);
  const dying = ["--pdeathsig", "KILL", "--"];
  return [...dying, nsenter, "--net=/proc/self/fd/3", "--", program, ...args];
};
