import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Digest } from "./digest.js";
import { type Store, temporaryPath } from "./store.js";

/**
 * Hashing an image of some hundred megabytes before each run would cost more than the run. The
 * change time (ctime) can't be set back by a program, so a file whose identity is as it was when
 * its bytes were last hashed still has those bytes.
 */
const fileIdentity = (path: string): string => {
  const found = statSync(path, { bigint: true });
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
};

const stampPath = (store: Store, digest: Digest): string =>
  join(store.verified, digest.slice("sha256:".length));

export const isVerified = (store: Store, digest: Digest, path: string): boolean => {
  try {
    return readFileSync(stampPath(store, digest), "utf8") === fileIdentity(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
};

/** Not synced: a stamp that a crash loses or cuts equals no identity, so the file is hashed again. */
export const recordVerified = (store: Store, digest: Digest, path: string): void => {
  const temporary = temporaryPath(store);
  writeFileSync(temporary, fileIdentity(path), { flag: "wx", mode: 0o600 });
  renameSync(temporary, stampPath(store, digest));
};
