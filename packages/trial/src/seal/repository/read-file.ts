import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { sealError } from "../errors.js";
import { display } from "../names/display.js";

/**
 * Reads a small regular file without following a link at its end and without blocking on a FIFO.
 * Undefined when there is none. @throws SOURCE_UNREADABLE for anything else than a regular file,
 * and for one larger than `limit` bytes.
 */
export const readSmallFile = (path: string | Buffer, limit: number): Buffer | undefined => {
  const descriptor = openRegular(path);
  if (descriptor === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size + 1);
    if (bytes.length > limit) throw unreadable(path, `larger than ${limit} bytes`);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length === bytes.length) throw unreadable(path, "it grew while it was read");
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
};

/** Opens a regular file for reading; undefined when there is none. */
export const openRegular = (path: string | Buffer): number | undefined => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let descriptor: number;
  try {
    descriptor = openWithoutAccessTime(path, flags);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(path, code === "ELOOP" ? "it is a symbolic link" : code, error);
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw unreadable(path, "it is not a regular file");
};

/** Reading must not change the checkout, the access time included where the kernel lets us. */
const openWithoutAccessTime = (path: string | Buffer, flags: number): number => {
  try {
    return openSync(path, flags | constants.O_NOATIME);
  } catch (error) {
    // Only the owner and root may ask for it (open(2)).
    if (errorCode(error) === "EPERM") return openSync(path, flags);
    throw error;
  }
};

export const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";

const unreadable = (path: string | Buffer, why: string, cause?: unknown): Error =>
  sealError("SOURCE_UNREADABLE", `cannot read ${display(path)}: ${why}`, {
    fix: "check the path and its permissions",
    cause,
  });
