import { objectPath, type Store } from "../../store/index.js";
import { imageError, quote } from "../errors.js";
import { createTarReader, type EntrySink, type TarEntry } from "../tar/read.js";
import type { Tools } from "../tools.js";
import { lookup, parentOf } from "../tree/edit.js";
import { bytesContent, type DirectoryNode, directory, file, symlink } from "../tree/node.js";
import { parseEntryPath } from "../tree/path.js";
import type { Spool } from "../tree/spool.js";
import type { DebRef } from "./control.js";

export interface UnpackOptions {
  /** Which paths (absolute, after the /usr merge) to keep; directories come as needed. */
  readonly keep: (path: string) => boolean;
}

/** Packages are signed by Debian; these bounds only stop a mistake. */
const DEB_LIMITS = { bytes: 4 * 1024 ** 3, entries: 200_000 };
const MAX_DEPTH = 64;
const MERGED = new Set(["bin", "sbin", "lib", "lib32", "lib64", "libx32"]);
const IGNORE: EntrySink = { write: () => undefined, end: () => undefined };

/**
 * Adds a package's files to a tree. Its maintainer scripts live in another member of the .deb,
 * which nothing here reads. Where two packages have the same path, the later one wins.
 */
export const unpackDeb = async (
  store: Store,
  tools: Tools,
  spool: Spool,
  root: DirectoryNode,
  deb: DebRef,
  { keep }: UnpackOptions,
): Promise<void> => {
  const reader = createTarReader(DEB_LIMITS, (entry) => {
    const path = mergeUsr(parseEntryPath(entry.path, MAX_DEPTH));
    return path.length > 0 && keep(`/${path.join("/")}`)
      ? addEntry(root, spool, path, entry)
      : IGNORE;
  });
  const stream = tools.stream("dpkg-deb", ["--fsys-tarfile", objectPath(store, deb.digest)]);
  for await (const piece of stream) reader.push(piece);
  reader.end();
};

/** Debian 12 packages may still name /bin and /lib, which are links into /usr on every system. */
const mergeUsr = (path: readonly string[]): readonly string[] =>
  MERGED.has(path[0] ?? "") ? ["usr", ...path] : path;

const addEntry = (
  root: DirectoryNode,
  spool: Spool,
  path: readonly string[],
  entry: TarEntry,
): EntrySink => {
  const { parent, name } = parentOf(root, path);
  switch (entry.kind) {
    case "directory": {
      const existing = parent.entries.get(name);
      if (existing?.kind === "directory") existing.attributes = entry.attributes;
      else if (existing === undefined) parent.entries.set(name, directory(entry.attributes));
      else throw imageError("IMAGE_LINK", `${quote(entry.path)} replaces a ${existing.kind}`);
      return IGNORE;
    }
    case "symlink":
      parent.entries.set(name, symlink(entry.target, entry.attributes));
      return IGNORE;
    case "hardlink": {
      const target = lookup(root, mergeUsr(parseEntryPath(entry.target, MAX_DEPTH)));
      if (target?.kind !== "file") {
        throw imageError("IMAGE_LINK", `${quote(entry.path)} links to no file in its package`);
      }
      parent.entries.set(name, target);
      return IGNORE;
    }
    case "file": {
      if (entry.size === 0) {
        parent.entries.set(name, file(bytesContent(""), entry.attributes));
        return IGNORE;
      }
      const content = spool.begin();
      return {
        write: content.write,
        end: () => parent.entries.set(name, file(content.end(), entry.attributes)),
      };
    }
  }
};
