import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * What root makes in another user's directory is that user's: its processes have no other way to
 * read it and to go on with it.
 */
export const keepOwner = (path: string): void => {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownSync(path, uid, gid);
};
