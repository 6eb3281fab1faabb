import { isDotGit } from "./dot-git.js";
import { hasControlCharacter } from "./path.js";

export type LinkProblem =
  | "EMPTY_TARGET"
  | "ABSOLUTE_TARGET"
  | "ESCAPING_TARGET"
  | "WINDING_TARGET"
  | "CONTROL_CHARACTER"
  | "DOT_GIT"
  | "TARGET_TOO_LONG";

/**
 * What is wrong with a symbolic link at `path` (a checked path below some root), or undefined.
 *
 * ".." is allowed only at the start of a target. There it is evaluated on real directories, so
 * counting is exact; after a name ("s/../x") it would be evaluated wherever the link `s` leads,
 * and two links that each look harmless could leave the root together.
 */
export const findLinkProblem = (
  path: string,
  target: string,
  targetBytes: number,
): LinkProblem | undefined => {
  if (target === "") return "EMPTY_TARGET";
  if (target.startsWith("/")) return "ABSOLUTE_TARGET";
  if (Buffer.byteLength(target) > targetBytes) return "TARGET_TOO_LONG";
  if (hasControlCharacter(target)) return "CONTROL_CHARACTER";
  const steps = target.split("/").filter((step) => step !== "" && step !== ".");
  const named = steps.findIndex((step) => step !== "..");
  const climbs = named === -1 ? steps.length : named;
  if (climbs > path.split("/").length - 1) return "ESCAPING_TARGET";
  const names = steps.slice(climbs);
  if (names.includes("..")) return "WINDING_TARGET";
  if (names.some(isDotGit)) return "DOT_GIT";
  return undefined;
};
