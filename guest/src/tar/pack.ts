import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { Glob, HostMessage } from "@drydock/wire";
import { type Bytes, fileName, padding } from "./format.js";
import { endOfArchive, entryHeader } from "./write.js";

export type PackLimits = Extract<HostMessage, { type: "collect" }>["limits"];

export interface PackResult {
  files: number;
  bytes: number;
  skipped: number;
  truncated: boolean;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * A tar stream of what matches below `root`, depth first, each directory in byte order. A matched directory
 * stands for all it holds. Links are sent as links and never followed; sockets, devices and pipes
 * are skipped. `result` counts as it goes.
 */
export function* packMatches(
  root: string,
  globs: readonly Glob[],
  limits: PackLimits,
  result: PackResult,
): Generator<Buffer> {
  yield* inChunks(packDirectory({ root, globs, limits, result }, "", 1, false));
}

/** Small pieces joined: each one that is sent on its own costs more than its bytes. */
function* inChunks(pieces: Generator<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < CHUNK_BYTES) continue;
    yield waiting.length === 1 ? piece : Buffer.concat(waiting, length);
    waiting = [];
    length = 0;
  }
  yield Buffer.concat([...waiting, endOfArchive()]);
}

interface Walk {
  readonly root: string;
  readonly globs: readonly Glob[];
  readonly limits: PackLimits;
  readonly result: PackResult;
}

function* packDirectory(
  walk: Walk,
  directory: Bytes,
  depth: number,
  inMatch: boolean,
): Generator<Buffer> {
  if (depth > walk.limits.depth) {
    walk.result.truncated = true;
    return;
  }
  for (const entry of entriesOf(walk, directory)) {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    const shown = Buffer.from(path, "latin1").toString("utf8");
    const matched = inMatch || walk.globs.some((glob) => glob.matches(shown));
    if (matched) yield* packEntry(walk, path, entry);
    if (entry.isDirectory() && (matched || walk.globs.some((glob) => glob.mayMatchBelow(shown)))) {
      yield* packDirectory(walk, path, depth + 1, matched);
    }
  }
}

function* packEntry(walk: Walk, path: Bytes, entry: Dirent): Generator<Buffer> {
  const { limits, result } = walk;
  if (result.files >= limits.files || path.length > limits.pathBytes) {
    result.truncated = true;
    result.skipped += 1;
  } else if (entry.isFile()) {
    yield* packFile(walk, path);
  } else if (entry.isSymbolicLink()) {
    const target = readlinkSync(placeOf(walk, path), { encoding: "latin1" });
    result.files += 1;
    yield entryHeader({ path, kind: "symlink", mode: 0o777, size: 0, target });
  } else if (entry.isDirectory()) {
    const mode = lstatSync(placeOf(walk, path)).mode & 0o777;
    result.files += 1;
    yield entryHeader({ path, kind: "directory", mode, size: 0, target: "" });
  } else {
    result.skipped += 1;
  }
}

function* packFile({ root, limits, result }: Walk, path: Bytes): Generator<Buffer> {
  // Opened without following and without blocking, then looked at again: the tree may change.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openSync(placeOf({ root }, path), flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || result.bytes + found.size > limits.bytes) {
      result.truncated ||= found.isFile();
      result.skipped += 1;
      return;
    }
    result.files += 1;
    result.bytes += found.size;
    const mode = found.mode & 0o777;
    yield entryHeader({ path, kind: "file", mode, size: found.size, target: "" });
    yield* contentOf(file, found.size);
    yield Buffer.alloc(padding(found.size));
  } finally {
    closeSync(file);
  }
}

/** Exactly `size` bytes, as the header has promised; a file that shrank is filled with zeros. */
function* contentOf(file: number, size: number): Generator<Buffer> {
  for (let left = size; left > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    const got = readSync(file, chunk, 0, chunk.length, null);
    yield got === 0 ? chunk.fill(0) : chunk.subarray(0, got);
    left -= got === 0 ? chunk.length : got;
  }
}

const entriesOf = (walk: Walk, directory: Bytes): Dirent[] =>
  readdirSync(placeOf(walk, directory), { withFileTypes: true, encoding: "latin1" }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );

const placeOf = ({ root }: { readonly root: string }, path: Bytes): string | Buffer => {
  const name = fileName(path);
  return typeof name === "string"
    ? `${root}/${name}`
    : Buffer.concat([Buffer.from(`${root}/`), name]);
};
