import { closeSync, constants, fdatasyncSync, openSync, writeSync } from "node:fs";
import { DrydockError } from "../errors.js";

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
export const appendFileFromDescriptor = (descriptor: number): OpenAppendFile => {
  let open = true;
  // A closed number may be another file's by now.
  const requireOpen = (): void => {
    if (!open) throw new DrydockError("LOG_CLOSED", "the log was closed");
  };
  return {
    append: (bytes) => {
      requireOpen();
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(descriptor, bytes, written);
      }
    },
    sync: () => {
      requireOpen();
      fdatasyncSync(descriptor);
    },
    close: () => {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
};
