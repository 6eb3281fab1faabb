import { lstatSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { storeFault } from "../fault.js";

/**
 * A directory that nobody else can put anything into or take anything out of, reached without a
 * symbolic link anywhere on the way.
 *
 * @throws DrydockError STORE_DIRECTORY
 */
export const requireOwnDirectory = (directory: string): string => {
  const path = resolve(directory);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw storeFault("STORE_DIRECTORY", "there is no such directory");
  if (!stat.isDirectory() || realpathSync(path) !== path) {
    throw storeFault("STORE_DIRECTORY", "its directory isn't a real one");
  }
  if (stat.uid !== process.getuid?.()) {
    throw storeFault("STORE_DIRECTORY", "its directory is another user's");
  }
  if ((stat.mode & 0o7777) !== 0o700) {
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, "0");
    throw storeFault("STORE_DIRECTORY", `its directory has mode ${mode}, not 0700`);
  }
  return path;
};
