import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type Canary,
  type CanaryEncoding,
  type CanaryLayer,
  compileCanaries,
  createCanaryWatch,
  MAX_CANARIES,
} from "@drydock/broker";

/** A value where none may be; not what it is. */
export interface Sighting {
  /** Relative to what was searched. */
  readonly file: string;
  readonly value: string;
  readonly encoding: CanaryEncoding;
  readonly layer: CanaryLayer;
}

export interface Scan {
  readonly files: number;
  readonly bytes: number;
  /** How many values were searched for. */
  readonly values: number;
  readonly found: readonly Sighting[];
}

const CHUNK_BYTES = 64 * 1024;
/** Evidence of a rehearsal has a dozen files; more are somebody else's. */
const MAX_FILES = 10_000;

/**
 * Guard: searches every file below directories, and every name of one, for values, in each of the
 * forms that the broker's canaries are searched in: plain, UTF-16, hexadecimal, base64 and base32
 * wherever they begin, whatever their case, also percent-encoded, escaped as JSON or HTML, or broken
 * into lines. It finds what was written by mistake and not what somebody hides: what is compressed,
 * encrypted, encoded twice or put in another order passes.
 *
 * @throws Error where something can't be read, or is neither file nor directory: what wasn't
 *   searched isn't clean
 */
export const scanDirectories = (
  directories: readonly string[],
  values: readonly Canary[],
): Scan => {
  const files = directories.flatMap((directory) =>
    filesBelow(directory).map((path) => ({ path, file: relative(directory, path) })),
  );
  const batches = batchesOf(values).map(compileCanaries);
  let bytes = 0;
  const found = files.flatMap(({ path, file }) => {
    // One watch says each encoding once, which is enough to say that a file has it.
    const watches = batches.map(createCanaryWatch);
    const push = (chunk: Uint8Array) => watches.flatMap((watch) => watch.push(chunk));
    const seen = [...push(Buffer.from(`${file}\n\n\n`))];
    for (const chunk of chunksOf(path)) {
      bytes += chunk.length;
      seen.push(...push(chunk));
    }
    return seen.map(({ canary, encoding, layer }) => ({ file, value: canary, encoding, layer }));
  });
  return { files: files.length, bytes, values: new Set(values.map(({ id }) => id)).size, found };
};

const batchesOf = (values: readonly Canary[]): readonly (readonly Canary[])[] =>
  values.length <= MAX_CANARIES
    ? [values]
    : [values.slice(0, MAX_CANARIES), ...batchesOf(values.slice(MAX_CANARIES))];

const filesBelow = (directory: string): readonly string[] => {
  const files: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) look(path);
      else if (entry.isFile()) files.push(path);
      else throw new Error("neither a file nor a directory");
      if (files.length > MAX_FILES) throw new Error("too many files");
    }
  };
  look(directory);
  return files;
};

function* chunksOf(path: string): Generator<Uint8Array> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("not a file");
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}
