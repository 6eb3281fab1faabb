import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { DrydockError } from "../errors.js";

/** More than a policy, a key, a signature, a trust file or a checkpoint ever needs. */
export const MAX_NAMED_FILE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** `<(drydock keys export)` takes a second or two to say something; a pipe nobody feeds never does. */
const PIPE_WITHIN_MS = 10_000;
const PIPE_POLL_MS = 20;

export interface NamedFileOptions {
  readonly maxBytes?: number;
  /** How long a pipe may stay silent, in all. */
  readonly pipeWithinMs?: number;
}

/**
 * The bytes of a file that somebody named: a regular file, or a pipe that somebody writes into.
 * Opening a pipe without a writer waits for ever, and reading `/dev/zero` too, in a call that no
 * signal's handler gets through to; so it is opened without waiting, and read up to a bound.
 *
 * @throws DrydockError FILE_UNREADABLE, FILE_TOO_LARGE
 */
export const readNamedFile = (
  path: string,
  { maxBytes = MAX_NAMED_FILE_BYTES, pipeWithinMs = PIPE_WITHIN_MS }: NamedFileOptions = {},
): Buffer => {
  const descriptor = open(path);
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return readAll(path, maxBytes, () => readChunk(path, descriptor));
    if (!stat.isFIFO()) throw unreadable(path, "is neither a file nor a pipe");
    return readAll(path, maxBytes, waiting(path, descriptor, pipeWithinMs));
  } finally {
    closeSync(descriptor);
  }
};

const open = (path: string): number => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
};

const readAll = (path: string, maxBytes: number, next: () => Buffer): Buffer => {
  const chunks: Buffer[] = [];
  let length = 0;
  for (let chunk = next(); chunk.length > 0; chunk = next()) {
    length += chunk.length;
    if (length > maxBytes)
      throw new DrydockError("FILE_TOO_LARGE", `${path} is longer than ${maxBytes} bytes`, {
        fix: "Name the file that is meant: none of these is ever that long.",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
};

const readChunk = (path: string, descriptor: number): Buffer => {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  try {
    return chunk.subarray(0, readSync(descriptor, chunk, 0, chunk.length, null));
  } catch (cause) {
    // The one answer that isn't an error of the file: a pipe has nothing yet.
    if ((cause as NodeJS.ErrnoException).code === "EAGAIN") throw cause;
    throw unreadable(path, (cause as Error).message, cause);
  }
};

/** As `readChunk`, until the writer has written something or gone. */
const waiting = (path: string, descriptor: number, withinMs: number) => {
  const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let waitedMs = 0;
  return (): Buffer => {
    for (;;) {
      try {
        return readChunk(path, descriptor);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      if (waitedMs >= withinMs) throw unreadable(path, "is a pipe that stays silent");
      Atomics.wait(sleeper, 0, 0, PIPE_POLL_MS);
      waitedMs += PIPE_POLL_MS;
    }
  };
};

const unreadable = (path: string, what: string, cause?: unknown): DrydockError =>
  new DrydockError("FILE_UNREADABLE", `cannot read ${path}: ${what}`, {
    fix: "Name a file that exists and that you may read.",
    ...(cause === undefined ? {} : { cause }),
  });
