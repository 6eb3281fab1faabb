import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { storeIoError } from "./errors.js";

/** A rename is durable only once the directory that holds it is on disk. */
export const syncDirectory = (path: string): void => {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

export const syncFile = syncDirectory;

/** Moves a finished, synced file into place; readers see the old content or the new, never half. */
export const publish = (temporary: string, target: string): void => {
  try {
    renameSync(temporary, target);
    syncDirectory(dirname(target));
  } catch (cause) {
    throw storeIoError("publish", target, cause);
  }
};

/** Replaces `target` by `content` so that a crash at any point leaves the old file or the new one. */
export const writeAtomic = (
  target: string,
  temporary: string,
  content: string | Uint8Array,
  mode: number,
): void => {
  try {
    const descriptor = openSync(temporary, "wx", mode);
    try {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    removeIfPresent(temporary);
    throw storeIoError("write", target, cause);
  }
  publish(temporary, target);
};

export const removeIfPresent = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
};
