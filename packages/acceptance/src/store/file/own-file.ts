import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { storeFault } from "../fault.js";

/** Which file it is, whatever its name becomes. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * A regular file of this user alone, with one name, opened without following a link.
 *
 * @throws DrydockError STORE_FILE
 */
export const requireOwnFile = (path: string): FileIdentity => {
  const descriptor = openNoFollow(path);
  try {
    const stat = fstatSync(descriptor, { bigint: true });
    if (!stat.isFile()) throw storeFault("STORE_FILE", "it isn't a regular file");
    if (stat.uid !== BigInt(process.getuid?.() ?? -1)) {
      throw storeFault("STORE_FILE", "its file is another user's");
    }
    if ((stat.mode & 0o7777n) !== 0o600n) {
      const mode = (stat.mode & 0o7777n).toString(8).padStart(4, "0");
      throw storeFault("STORE_FILE", `its file has mode ${mode}, not 0600`);
    }
    if (stat.nlink !== 1n) throw storeFault("STORE_FILE", "its file has a second name");
    return { device: stat.dev, inode: stat.ino };
  } finally {
    closeSync(descriptor);
  }
};

/**
 * SQLite opens by name and follows links, so the name is looked at once more when it has.
 *
 * @throws DrydockError STORE_FILE
 */
export const requireStillThere = (path: string, identity: FileIdentity): void => {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat?.dev !== identity.device || stat.ino !== identity.inode || !stat.isFile()) {
    throw storeFault("STORE_FILE", "its file was exchanged while it was opened");
  }
};

const openNoFollow = (path: string): number => {
  try {
    // Not blocking: a pipe of that name would wait for its other end for ever.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw storeFault("STORE_FILE", "its file can't be opened, or is a symbolic link", error);
  }
};
