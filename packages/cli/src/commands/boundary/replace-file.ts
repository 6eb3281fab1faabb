import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { DrydockError, quote } from "@drydock/evidence";

/** Whoever reads it may be somebody else; there is no secret in it. */
const READABLE = 0o644;

/**
 * Replaces a file at once, so that nobody reads half of one. The new one is made under a name that
 * nobody could have put a link at: a directory that others write in, too, is no way to another file.
 */
export const replaceFile = (file: string, bytes: Uint8Array): void => {
  const fresh = `${file}.new-${randomBytes(8).toString("hex")}`;
  try {
    writeFileSync(fresh, bytes, { mode: READABLE, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
};

/**
 * Whether what is named is a file, or isn't there yet; asked before anything is done. Anything else
 * would be a file from then on, for everybody: a device, and /dev/stdout, which is a link.
 *
 * @throws DrydockError FILE_UNWRITABLE
 */
export const requireReplaceable = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new DrydockError("FILE_UNWRITABLE", `${quote(file)} isn't a file that can be replaced`, {
      fix: "Name a file, or one that isn't there yet: it is replaced each time.",
    });
  }
};
