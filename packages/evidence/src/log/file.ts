import { closeSync, constants, fdatasyncSync, openSync, writeSync } from "node:fs";

/** An append-only file: all that a log needs of a file system. */
export interface AppendFile {
  /** Appends all bytes or throws. */
  append(bytes: Uint8Array): void;
  /** Returns when everything appended is durable. */
  sync(): void;
}

export interface OpenAppendFile extends AppendFile {
  close(): void;
}

/**
 * @param mode `create` refuses a file that exists; `extend` refuses one that doesn't. Symbolic
 *   links are never followed.
 */
export const openAppendFile = (path: string, mode: "create" | "extend"): OpenAppendFile => {
  const flags =
    constants.O_WRONLY |
    constants.O_APPEND |
    constants.O_NOFOLLOW |
    (mode === "create" ? constants.O_CREAT | constants.O_EXCL : 0);
  return appendFileFromDescriptor(openSync(path, flags, 0o600));
};

/** Takes over a descriptor, e.g. one handed to a process that may not open paths. */
export const appendFileFromDescriptor = (descriptor: number): OpenAppendFile => ({
  append: (bytes) => {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(descriptor, bytes, written);
    }
  },
  sync: () => fdatasyncSync(descriptor),
  close: () => closeSync(descriptor),
});
