import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { DrydockError, quote } from "@drydock/evidence";

/** More than the longest secret, so that a longer file shows. */
const MAX_FILE_BYTES = 4096;
const OTHERS = 0o077;

/**
 * The bytes of a file that holds a secret. Guard: a file that others can read, or that somebody else
 * may change, holds none.
 *
 * @param owners whose it may be, by uid
 * @throws DrydockError SECRET_FILE
 */
export const readSecretFile = (file: string, owners: readonly number[]): Uint8Array => {
  const descriptor = open(file);
  try {
    // Of what was opened: a path may lead elsewhere by now.
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw unusable(file, "isn't a regular file", "Name a file.");
    if (!owners.includes(stat.uid))
      throw unusable(file, `belongs to user ${stat.uid}`, "Keep it in a file of your own.");
    if ((stat.mode & OTHERS) !== 0)
      throw unusable(file, "is open to others", `chmod 600 ${quote(file)}`);
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    const read = readSync(descriptor, bytes, 0, bytes.length, 0);
    if (read > MAX_FILE_BYTES)
      throw unusable(file, "is too long for a secret", "Keep one secret in it, on one line.");
    return bytes.subarray(0, read);
  } finally {
    closeSync(descriptor);
  }
};

const open = (file: string): number => {
  try {
    // A pipe would wait for somebody who writes.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new DrydockError("SECRET_FILE", `${quote(file)} can't be read`, {
      fix: "Name a file that is there.",
      cause,
    });
  }
};

const unusable = (file: string, what: string, fix: string): DrydockError =>
  new DrydockError("SECRET_FILE", `${quote(file)} ${what}`, { fix });
