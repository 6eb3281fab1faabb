import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeIfPresent, syncDirectory, writeAtomic } from "./atomic.js";
import { type Digest, isDigest } from "./digest.js";
import { storeError } from "./errors.js";
import { type Store, temporaryPath } from "./store.js";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Far more names than a person keeps; a bound on what `list` reads. */
const MAX_NAMES = 4096;

export const parseName = (text: string): string => {
  if (NAME.test(text)) return text;
  throw storeError("STORE_NAME", `"${text}" is not an image name`, {
    fix: "Use 1 to 64 of a-z 0-9 . _ - and begin with a letter or a digit.",
  });
};

export const setName = (store: Store, name: string, digest: Digest): void =>
  writeAtomic(join(store.names, parseName(name)), temporaryPath(store), `${digest}\n`, 0o600);

export const readName = (store: Store, name: string): Digest | undefined => {
  const path = join(store.names, parseName(name));
  try {
    const text = readFileSync(path, "utf8").trimEnd();
    if (isDigest(text)) return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  throw storeError("STORE_CORRUPT", `${path} does not hold a digest`, { fix: `Remove ${path}.` });
};

export const removeName = (store: Store, name: string): void => {
  removeIfPresent(join(store.names, parseName(name)));
  syncDirectory(store.names);
};

/** All names, sorted. */
export const listNames = (store: Store): readonly string[] => {
  const names = readdirSync(store.names)
    .filter((name) => NAME.test(name))
    .sort();
  if (names.length <= MAX_NAMES) return names;
  throw storeError("STORE_BOUND", `${store.names} holds more than ${MAX_NAMES} names`, {
    fix: "Remove the names that you do not use.",
  });
};
