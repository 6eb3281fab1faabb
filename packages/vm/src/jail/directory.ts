import { chmodSync, mkdirSync, statSync } from "node:fs";

/**
 * A directory that other users' processes have to enter: whatever umask the user has, and whatever
 * one an earlier run had. Its mode is exactly `mode`.
 */
export const ensureDirectory = (path: string, mode: number): void => {
  mkdirSync(path, { recursive: true, mode });
  if ((statSync(path).mode & 0o7777) !== mode) chmodSync(path, mode);
};
