import {
  chownSync,
  closeSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { MAX_PATH_LENGTH } from "@drydock/wire";
import { type Bytes, type Entry, fileName, unsafe } from "./format.js";
import type { TarSink } from "./read.js";

/** Neither setuid, setgid nor sticky bits arrive. */
const PERMISSIONS = 0o777;

/**
 * Writes entries below one directory. Links are made last, so that no entry is ever written
 * through a link of the same archive, and every directory on the way is known to be one.
 */
export class Unpacker implements TarSink {
  readonly #root: string;
  readonly #owner: { readonly uid: number; readonly gid: number };
  readonly #directories = new Set<Bytes>([""]);
  readonly #links: Entry[] = [];
  #file = -1;
  #files = 0;
  #bytes = 0;

  constructor(root: string, owner: { readonly uid: number; readonly gid: number }) {
    this.#root = root;
    this.#owner = owner;
  }

  begin(entry: Entry): void {
    const path = safePath(entry.path);
    if (entry.kind === "directory") {
      if (path !== "") this.#directory(path, entry.mode & PERMISSIONS);
      return;
    }
    if (path === "") throw unsafe("entry without a name");
    this.#directory(parentOf(path), 0o755);
    this.#files += 1;
    if (entry.kind === "symlink") {
      this.#links.push({ ...entry, path });
      return;
    }
    this.#file = this.#create(path, entry.mode & PERMISSIONS);
    this.#bytes += entry.size;
  }

  data(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  finish(): void {
    this.close();
  }

  /** All entries are there: now the links. */
  complete(): PutCounts {
    for (const { path, target } of this.#links) {
      if (target === "" || target.includes("\0")) throw unsafe("link without a target");
      const place = this.#place(path);
      replacing(place, () => symlinkSync(fileName(target), place));
      lchownSync(place, this.#owner.uid, this.#owner.gid);
    }
    return { files: this.#files, bytes: this.#bytes };
  }

  close(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  #place(path: Bytes): string | Buffer {
    const name = fileName(path);
    return typeof name === "string"
      ? `${this.#root}/${name}`
      : Buffer.concat([Buffer.from(`${this.#root}/`), name]);
  }

  #create(path: Bytes, mode: number): number {
    const place = this.#place(path);
    const file = replacing(place, () => openSync(place, "wx", mode));
    fchownSync(file, this.#owner.uid, this.#owner.gid);
    return file;
  }

  #directory(path: Bytes, mode: number): void {
    if (this.#directories.has(path)) return;
    this.#directory(parentOf(path), 0o755);
    const place = this.#place(path);
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
      mkdirSync(place, mode);
      chownSync(place, this.#owner.uid, this.#owner.gid);
    }
    this.#directories.add(path);
  }
}

export interface PutCounts {
  readonly files: number;
  readonly bytes: number;
}

/** What lies there already gives way, unless it is a directory. */
const replacing = <T>(place: string | Buffer, make: () => T): T => {
  try {
    return make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    unlinkSync(place);
    return make();
  }
};

/** A guard: relative, and no segment that leads elsewhere. */
const safePath = (path: Bytes): Bytes => {
  if (path.length > MAX_PATH_LENGTH) throw unsafe("path too long");
  if (path.startsWith("/")) throw unsafe(`absolute path ${JSON.stringify(path)}`);
  const segments = path.split("/").filter((name) => name !== "" && name !== ".");
  if (segments.some((name) => name === ".." || name.includes("\0"))) {
    throw unsafe(`path ${JSON.stringify(path)}`);
  }
  return segments.join("/");
};

const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf("/")));
