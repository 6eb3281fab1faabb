import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * What root makes in the controller's directory is the controller's: its process has no other way to
 * go on with it.
 */
export const keepOwner = (path: string): void => {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
};
