import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { publish, removeIfPresent, syncDirectory, syncFile } from "./atomic.js";
import { type Digest, digestFile, digestOfHex } from "./digest.js";
import { storeError, storeIoError } from "./errors.js";
import { type Store, temporaryPath } from "./store.js";
import { isVerified, recordVerified } from "./verified.js";

export interface StoredObject {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/**
 * Readable by all and writable by none: the directory above admits only the owner, and a VMM that
 * gets the single file bind-mounted into its jail runs as another uid.
 */
const OBJECT_MODE = 0o444;
const EXECUTABLE_MODE = 0o555;

export const objectPath = (store: Store, digest: Digest): string => {
  const hex = digest.slice("sha256:".length);
  return join(store.objects, hex.slice(0, 2), hex);
};

export const hasObject = (store: Store, digest: Digest): boolean =>
  existsSync(objectPath(store, digest));

/** Takes over the finished file at `temporary` (same file system) as an object. */
export const adoptObject = (
  store: Store,
  temporary: string,
  known: StoredObject,
  mode = OBJECT_MODE,
): StoredObject => {
  const target = objectPath(store, known.digest);
  try {
    if (existsSync(target) && statSync(target).size === known.size) {
      removeIfPresent(temporary);
      return known;
    }
    makeShard(store, dirname(target));
    chmodSync(temporary, mode);
    syncFile(temporary);
  } catch (cause) {
    throw storeIoError("store", target, cause);
  }
  publish(temporary, target);
  recordVerified(store, known.digest, target);
  return known;
};

/** Hashes the finished file at `temporary` and takes it over. */
export const adoptFile = async (store: Store, temporary: string): Promise<StoredObject> =>
  adoptObject(store, temporary, await digestFile(temporary));

/** The same for a program that is executed where it lies. */
export const adoptExecutable = async (store: Store, temporary: string): Promise<StoredObject> =>
  adoptObject(store, temporary, await digestFile(temporary), EXECUTABLE_MODE);

export const putBytes = (store: Store, bytes: Uint8Array | string): StoredObject => {
  const sink = createObject(store);
  try {
    sink.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    return sink.finish();
  } catch (cause) {
    sink.abort();
    throw cause;
  }
};

export interface ObjectSink {
  /** Appends; throws `STORE_NO_SPACE` and the like. */
  readonly write: (bytes: Uint8Array) => void;
  readonly finish: () => StoredObject;
  /** Leaves nothing behind; harmless after `finish`. */
  readonly abort: () => void;
}

/** An object that is hashed while it is written. */
export const createObject = (store: Store): ObjectSink => {
  const temporary = temporaryPath(store);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(temporary, "wx", 0o600);
  } catch (cause) {
    throw storeIoError("write", temporary, cause);
  }
  const hash = createHash("sha256");
  let size = 0;
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    write: (bytes) => {
      if (descriptor === undefined) throw storeError("STORE_IO", "write after finish");
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      } catch (cause) {
        throw storeIoError("write", temporary, cause);
      }
      hash.update(bytes);
      size += bytes.length;
    },
    finish: () => {
      if (descriptor === undefined) throw storeError("STORE_IO", "finished twice");
      fsyncSync(descriptor);
      close();
      return adoptObject(store, temporary, { digest: digestOfHex(hash.digest("hex")), size });
    },
    abort: () => {
      close();
      removeIfPresent(temporary);
    },
  };
};

/** The path of an object whose bytes were seen to have this digest since the file last changed. */
export const verifiedObjectPath = async (store: Store, digest: Digest): Promise<string> => {
  const path = objectPath(store, digest);
  if (!existsSync(path)) {
    throw storeError("STORE_CORRUPT", `object ${digest} is missing from the store`, {
      fix: "Build or import the image again.",
    });
  }
  if (isVerified(store, digest, path)) return path;
  const found = await digestFile(path);
  if (found.digest !== digest) {
    throw storeError("STORE_CORRUPT", `object ${path} has the digest ${found.digest}`, {
      fix: `Remove ${path} and build or import the image again.`,
    });
  }
  recordVerified(store, digest, path);
  return path;
};

/** Reads a small object whole, checking its digest; `limit` in bytes. */
export const readSmallObject = (store: Store, digest: Digest, limit: number): Buffer => {
  const path = objectPath(store, digest);
  let bytes: Buffer;
  try {
    if (statSync(path).size > limit) {
      throw storeError("STORE_BOUND", `object ${digest} is larger than ${limit} bytes`);
    }
    bytes = readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw storeError("STORE_CORRUPT", `object ${digest} is missing from the store`, {
      fix: "Build or import the image again.",
      cause,
    });
  }
  if (createHash("sha256").update(bytes).digest("hex") !== digest.slice("sha256:".length)) {
    throw storeError("STORE_CORRUPT", `object ${path} does not have its digest`, {
      fix: `Remove ${path} and build or import the image again.`,
    });
  }
  return bytes;
};

const makeShard = (store: Store, shard: string): void => {
  if (existsSync(shard)) return;
  mkdirSync(shard, { recursive: true, mode: 0o700 });
  syncDirectory(store.objects);
};
