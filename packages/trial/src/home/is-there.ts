import { statSync } from "node:fs";
import { DrydockError } from "@drydock/evidence";

/**
 * Whether there is a file. Not being allowed to look is no "no": a verb that took it for one would
 * say that there are no runs or no keys.
 *
 * @throws DrydockError STATE_FORBIDDEN, FILE_UNREADABLE
 */
export const isThere = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return false;
    if (code !== "EACCES" && code !== "EPERM")
      throw new DrydockError("FILE_UNREADABLE", `cannot look for ${path}: ${message}`, {
        fix: "Name a file that exists and that you may read.",
        cause,
      });
    throw new DrydockError("STATE_FORBIDDEN", `cannot look for ${path}: ${message}`, {
      fix: "Run it as the user who started the runs (root), or set DRYDOCK_HOME to a state directory of yours.",
      cause,
    });
  }
};
