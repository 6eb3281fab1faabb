import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { DrydockError } from "../errors.js";
import { quote } from "../quote.js";

/** A gibibyte is two million receipts; beyond it somebody wants to keep a verifier busy. */
export const MAX_LOG_FILE_BYTES = 1024 ** 3;
/** Small enough for a processor's cache, and for a string of it to need no memory of its own. */
const CHUNK_BYTES = 64 * 1024;
/** A directory of a run holds one file an artifact and ten more. */
const MAX_DIRECTORY_ENTRIES = 70_000;

/** Reads a directory that whoever wants to be believed has written. Follows no link. */
export interface RunDirectory {
  /** Names in `folder` ("" for the root); null when it isn't there. */
  list(folder: string): readonly string[] | null;
  /** Whole file; null when it isn't there. */
  read(file: string, maxBytes: number): Buffer | null;
  /** The file in chunks of at most 64 KiB, each valid until the next; null when absent. */
  chunks(file: string, maxBytes: number): Iterable<Buffer> | null;
}

/** @throws DrydockError RUN_DIRECTORY when `path` isn't a directory */
export const openRunDirectory = (path: string): RunDirectory => {
  if (!isDirectory(path)) {
    throw new DrydockError("RUN_DIRECTORY", `${quote(path)} is not a directory`, {
      fix: "Name the directory of one run, the one that holds manifest.json.",
    });
  }
  return {
    list: (folder) => listFolder(join(path, folder), folder),
    read: (file, maxBytes) => {
      checkFolders(path, file);
      return readWhole(join(path, file), file, maxBytes);
    },
    chunks: (file, maxBytes) => {
      checkFolders(path, file);
      return readChunks(join(path, file), file, maxBytes);
    },
  };
};

const isDirectory = (path: string): boolean => {
  const found = statOf(path);
  return found?.isDirectory() === true;
};

const statOf = (path: string): Stats | null => {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

const listFolder = (path: string, name: string): readonly string[] | null => {
  const found = statOf(path);
  if (found === null) return null;
  if (!found.isDirectory()) throw unsafe(name, "is not a directory");
  const entries = readdirSync(path);
  if (entries.length > MAX_DIRECTORY_ENTRIES) throw unsafe(name, "holds too many files");
  return entries.sort();
};

/** O_NOFOLLOW looks at the last component only; `logs` or `artifacts` could be the link. */
const checkFolders = (root: string, file: string): void => {
  const folders = file.split("/").slice(0, -1);
  for (const [index] of folders.entries()) {
    const folder = folders.slice(0, index + 1).join("/");
    const found = statOf(join(root, folder));
    if (found !== null && !found.isDirectory()) throw unsafe(folder, "is not a directory");
  }
};

const openRegular = (
  path: string,
  name: string,
  maxBytes: number,
): { readonly descriptor: number; readonly size: number } | null => {
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a FIFO would otherwise wait for a writer for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return null;
    throw unsafe(name, "can't be opened as a plain file", error);
  }
  const stat = fstatSync(descriptor);
  if (stat.isFile() && stat.size <= maxBytes) return { descriptor, size: stat.size };
  closeSync(descriptor);
  throw unsafe(name, stat.isFile() ? `is larger than ${maxBytes} bytes` : "is not a plain file");
};

const readWhole = (path: string, name: string, maxBytes: number): Buffer | null => {
  const open = openRegular(path, name, maxBytes);
  if (open === null) return null;
  try {
    const bytes = Buffer.alloc(open.size);
    let length = 0;
    while (length < bytes.length) {
      const got = readSync(open.descriptor, bytes, length, bytes.length - length, null);
      if (got === 0) break;
      length += got;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(open.descriptor);
  }
};

const readChunks = (path: string, name: string, maxBytes: number): Iterable<Buffer> | null => {
  const open = openRegular(path, name, maxBytes);
  return open === null ? null : chunksOf(open.descriptor, maxBytes);
};

function* chunksOf(descriptor: number, maxBytes: number): Generator<Buffer> {
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let total = 0; total <= maxBytes; ) {
      const got = readSync(descriptor, chunk, 0, chunk.length, null);
      if (got === 0) return;
      total += got;
      yield chunk.subarray(0, got);
    }
  } finally {
    closeSync(descriptor);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

const unsafe = (name: string, what: string, cause?: unknown): DrydockError<"FILE_UNSAFE"> =>
  new DrydockError("FILE_UNSAFE", `${quote(name)} ${what}`, { cause });
