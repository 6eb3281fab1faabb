import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { storeError, storeIoError } from "./errors.js";
import { formatOwner, thisProcess } from "./owner.js";

const PRIVATE_DIRECTORY = 0o700;
const FOLDERS = ["objects", "names", "derived", "verified", "locks", "tmp", "apt"] as const;

/**
 * A content-addressed store: objects under their SHA-256, names that point at manifests, and
 * derivations that remember what some inputs were built into.
 */
export interface Store {
  readonly directory: string;
  readonly objects: string;
  readonly names: string;
  readonly derived: string;
  readonly verified: string;
  readonly locks: string;
  readonly tmp: string;
  /** What apt keeps between builds; it can be made again from the host's package index. */
  readonly apt: string;
}

/** Opens the store at `directory`, creating it; refuses one that another user could write. */
export const openStore = (directory: string): Store => {
  const root = resolve(directory);
  const at = Object.fromEntries(FOLDERS.map((folder) => [folder, join(root, folder)])) as Record<
    (typeof FOLDERS)[number],
    string
  >;
  for (const path of [root, ...Object.values(at)]) makePrivate(path);
  return { directory: root, ...at };
};

/** A fresh path in the store's scratch folder; its name says who made it, so prune can tell. */
export const temporaryPath = (store: Store): string =>
  join(store.tmp, `${formatOwner(thisProcess())}.${randomUUID()}`);

const makePrivate = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  } catch (cause) {
    throw storeIoError("create", path, cause);
  }
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) {
    throw storeError("STORE_PERMISSION", `${path} is not a directory of this user`, {
      fix: "Move it away, or point DRYDOCK_HOME elsewhere.",
    });
  }
  if ((found.mode & 0o7777) !== PRIVATE_DIRECTORY) chmodSync(path, PRIVATE_DIRECTORY);
};
