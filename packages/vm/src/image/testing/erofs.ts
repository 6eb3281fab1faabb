import { execFileSync } from "node:child_process";
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { objectPath, type Store, type StoredObject } from "../../store/index.js";

/** Checks an image with erofs-utils, which shares no code with our writer, and unpacks it. */
export const extractErofs = (store: Store, image: StoredObject, into: string): string => {
  execFileSync("fsck.erofs", [`--extract=${into}`, objectPath(store, image.digest)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return into;
};

/**
 * Link count and mode of one file. Extraction copies hard links and loses setuid, and dump.erofs
 * masks it too, so the mode is read from the inode that dump.erofs locates.
 */
export const inspectInode = (
  store: Store,
  image: StoredObject,
  path: string,
): { readonly links: number; readonly mode: number } => {
  const file = objectPath(store, image.digest);
  const text = execFileSync("dump.erofs", [`--path=${path}`, file], { encoding: "utf8" });
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1]);
  const mode = Buffer.alloc(2);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, mode, 0, 2, META_START + number(/NID: ([0-9]+)/) * SLOT_BYTES + MODE_AT);
  } finally {
    closeSync(descriptor);
  }
  return { links: number(/Links: ([0-9]+)/), mode: mode.readUInt16LE() & 0o7777 };
};

const META_START = 4096;
const SLOT_BYTES = 32;
const MODE_AT = 4;

export interface Seen {
  readonly kind: "directory" | "file" | "symlink" | "other";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtime: number;
  readonly content: string;
}

/** Everything below a directory: path → what lstat and read say. */
export const listing = (root: string, at = ""): Map<string, Seen> => {
  const found = new Map<string, Seen>();
  for (const name of readdirSync(join(root, at)).sort()) {
    const path = `${at}/${name}`;
    const stat = lstatSync(join(root, path));
    const kind = stat.isDirectory()
      ? "directory"
      : stat.isFile()
        ? "file"
        : stat.isSymbolicLink()
          ? "symlink"
          : "other";
    found.set(path, {
      kind,
      mode: stat.mode & 0o7777,
      uid: stat.uid,
      gid: stat.gid,
      mtime: Math.floor(stat.mtimeMs / 1000),
      content:
        kind === "file"
          ? readFileSync(join(root, path)).toString("latin1")
          : kind === "symlink"
            ? readlinkSync(join(root, path))
            : "",
    });
    if (kind === "directory")
      for (const [below, seen] of listing(root, path)) found.set(below, seen);
  }
  return found;
};
