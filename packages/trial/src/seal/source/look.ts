import { statSync } from "node:fs";
import { errorCode } from "../repository/read-file.js";
import type { PathKind } from "./check-arguments.js";

/** What is at a path, links followed: the `look` that the command line passes. */
export const lookAtPath = (path: string): PathKind => {
  try {
    const status = statSync(path);
    if (status.isDirectory()) return "directory";
    return status.isFile() ? "file" : "other";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : "unreadable";
  }
};
