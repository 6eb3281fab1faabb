import { lstatSync } from "node:fs";
import { storeFault } from "../fault.js";

/** Which file it is, whatever its name becomes. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * A regular file of this user alone, with one name, that is no link. It is looked at and not opened:
 * whoever closes a file gives back all locks of its process on it (POSIX.1-2017, fcntl), also those
 * that SQLite took for another thread.
 *
 * @throws DrydockError STORE_FILE
 */
export const requireOwnFile = (path: string): FileIdentity => {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) throw storeFault("STORE_FILE", "its file is gone");
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
