import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DrydockError } from "@drydock/evidence";

/** A key's first line is up to 4,096 characters, an attestation a dozen short lines. */
export const MAX_OWNER_FILE_BYTES = 16 * 1024;

/** What a file is for; its name in messages. Contents and paths are never in one. */
export type OwnerFile = "API key" | "attestation" | "approval";

/**
 * Guard: reads a file that is its owner's alone: a regular file of this user with no rights for
 * anybody else, under one name that isn't a symbolic link, outside every Git work tree.
 *
 * @throws DrydockError LAB_FILE
 */
export const readOwnerOnly = (path: string, what: OwnerFile): Buffer => {
  const refuse = (why: string, fix: string): never => {
    throw new DrydockError("LAB_FILE", `the ${what} file is refused: ${why}`, { fix });
  };
  if (!path.startsWith("/")) refuse("its path is not absolute", "Name it from the root on.");
  const descriptor = open(path);
  if (descriptor === null)
    return refuse("it can't be opened, or is a symbolic link", "Name a regular file of your own.");
  try {
    const { mode, uid, size, nlink } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG)
      refuse("it is no regular file", "Name a regular file of your own.");
    if (uid !== process.geteuid?.()) refuse("it is another user's", "Make a file of your own.");
    if ((mode & 0o077) !== 0) refuse("others may use it", "Run: chmod 600 FILE");
    if (nlink !== 1) refuse("it has a second name", "Make a copy under one name.");
    if (inWorkTree(path)) refuse("it lies in a Git work tree", "Move it out of the repository.");
    if (size > MAX_OWNER_FILE_BYTES)
      refuse(`it is longer than ${MAX_OWNER_FILE_BYTES} bytes`, "Name the file itself.");
    return readUpTo(descriptor, size);
  } finally {
    closeSync(descriptor);
  }
};

const open = (path: string): number | null => {
  try {
    // Not blocking: a pipe of that name would wait for its other end for ever.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Whatever the reason, it isn't told apart: it may say what lies where.
    return null;
  }
};

const readUpTo = (descriptor: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
};

/** A work tree has a `.git`, a directory or (linked ones, submodules) a file. */
const inWorkTree = (path: string): boolean => {
  for (let at = dirname(realpathSync(path)); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === "/") return false;
  }
};
