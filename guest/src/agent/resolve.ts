import { chownSync, lstatSync, mkdirSync } from "node:fs";
import { AgentError } from "./errors.js";

/**
 * Where the agent finds `path` of the commands' root. Symbolic links in it would lead the agent,
 * which is not in that root, elsewhere: they are refused.
 */
export const resolveInRoot = (root: string, path: string): string => {
  let at = root;
  for (const name of segmentsOf(path)) {
    at = `${at}/${name}`;
    requireDirectory(at, path);
  }
  return at;
};

/** The same, making what is missing; the last directory gets its owner. */
export const makeInRoot = (
  root: string,
  path: string,
  owner: { readonly uid: number; readonly gid: number },
): string => {
  let at = root;
  let made = false;
  for (const name of segmentsOf(path)) {
    at = `${at}/${name}`;
    made = makeDirectory(at);
    if (!made) requireDirectory(at, path);
  }
  if (made) chownSync(at, owner.uid, owner.gid);
  return at;
};

const segmentsOf = (path: string): readonly string[] => {
  const segments = path.split("/").filter((name) => name !== "");
  if (segments.some((name) => name === "." || name === "..")) {
    throw new AgentError("unsafe-archive", `directory ${path} has . or ..`);
  }
  return segments;
};

const makeDirectory = (path: string): boolean => {
  try {
    mkdirSync(path, 0o755);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
};

const requireDirectory = (at: string, path: string): void => {
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) {
    throw new AgentError("unsafe-archive", `${path}: ${at} is no directory`);
  }
};
