import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { type Store, storeIoError, temporaryPath } from "../../store/index.js";
import { type Content, regionContent } from "./node.js";

/** One scratch file for the contents of all files of a build, deleted when the build ends. */
export interface Spool extends Disposable {
  /** Starts a file's content; `write` its bytes, then `end` gives the reference. */
  readonly begin: () => SpoolEntry;
}

export interface SpoolEntry {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => Content;
}

const BUFFER_BYTES = 1024 * 1024;

export const openSpool = (store: Store): Spool => {
  const path = temporaryPath(store);
  const descriptor = openSync(path, "wx", 0o600);
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let buffered = 0;
  let length = 0;
  const put = (bytes: Uint8Array): void => {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } catch (cause) {
      throw storeIoError("write", path, cause);
    }
  };
  const flush = (): void => {
    put(buffer.subarray(0, buffered));
    buffered = 0;
  };
  return {
    begin: () => {
      const start = length;
      return {
        write: (bytes) => {
          if (buffered + bytes.length > buffer.length) flush();
          if (bytes.length > buffer.length) put(bytes);
          else {
            buffer.set(bytes, buffered);
            buffered += bytes.length;
          }
          length += bytes.length;
        },
        end: () => {
          flush();
          return regionContent(path, start, length - start);
        },
      };
    },
    [Symbol.dispose]: () => {
      closeSync(descriptor);
      unlinkSync(path);
    },
  };
};
