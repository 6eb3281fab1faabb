import { DrydockError, isDrydockError } from "./errors.js";

/** What a person can do about what the system says; whatever isn't listed is a defect of ours. */
const FIXES: Readonly<Record<string, string>> = {
  EACCES: "Run it as the user it belongs to (root for runs and their state).",
  EDQUOT: "Free disk space of this user, or raise the quota.",
  EIO: "Look at the disk: dmesg.",
  EMFILE: "Raise the limit on open files where it is started: ulimit -n 4096.",
  ENAMETOOLONG: "Give a shorter path.",
  ENFILE: "Raise the system's limit on open files: fs.file-max.",
  ENOSPC: "Free disk space there.",
  EROFS: "Name a place on a writable file system.",
};

/**
 * An error as its reader sees it: what the operating system refused (a full disk, a missing
 * permission) is no defect of Drydock, wherever it was met. Its code is the system's.
 */
export const withSystemErrors = (error: unknown): unknown => {
  if (isDrydockError(error) || !(error instanceof Error)) return error;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const fix = FIXES[code];
  if (fix === undefined || syscall === undefined) return error;
  return new DrydockError(code, error.message, { fix, cause: error });
};
