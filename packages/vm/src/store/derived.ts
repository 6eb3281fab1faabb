import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalise, isJsonObject, type JsonValue, parseJson, shape } from "@drydock/evidence";
import { writeAtomic } from "./atomic.js";
import type { Digest } from "./digest.js";
import { storeError } from "./errors.js";
import { acquireLock, type LockOptions } from "./lock.js";
import { hasObject, type StoredObject } from "./objects.js";
import { type Store, temporaryPath } from "./store.js";

/** What canonical JSON can hold, so that equal inputs have equal text. */
export type Inputs =
  | string
  | number
  | boolean
  | null
  | readonly Inputs[]
  | { readonly [key: string]: Inputs };

const output = shape.object({
  digest: shape.digest as shape.Reader<Digest>,
  size: shape.integer(0),
});
const MAX_NAME_UNITS = 64;

export type Outputs = Readonly<Record<string, StoredObject>>;

/** The key of a derivation: what is built, by which version of the rules, from what. */
export const derivationKey = (what: string, version: number, inputs: Inputs): string =>
  createHash("sha256")
    .update(canonicalise(["drydock.derivation/v1", what, version, inputs]))
    .digest("hex");

/**
 * The outputs for `key`, from the store when all of them are there, else from `build`. Of several
 * processes that ask at once, one builds and the others wait for it.
 */
export const derive = async (
  store: Store,
  key: string,
  build: () => Promise<Outputs>,
  options: LockOptions = {},
): Promise<{ readonly outputs: Outputs; readonly reused: boolean }> => {
  const before = recallDerivation(store, key);
  if (before !== undefined) return { outputs: before, reused: true };
  const lock = await acquireLock(store.locks, `derive-${key}`, options);
  try {
    const meanwhile = recallDerivation(store, key);
    if (meanwhile !== undefined) return { outputs: meanwhile, reused: true };
    const outputs = await build();
    writeAtomic(join(store.derived, key), temporaryPath(store), canonicalise(outputs), 0o600);
    return { outputs, reused: false };
  } finally {
    lock.release();
  }
};

export const recallDerivation = (store: Store, key: string): Outputs | undefined => {
  const outputs = readDerivation(join(store.derived, key));
  return outputs !== undefined &&
    Object.values(outputs).every(({ digest }) => hasObject(store, digest))
    ? outputs
    : undefined;
};

export const readDerivation = (path: string): Outputs | undefined => {
  try {
    return readOutputs(parseJson(readFileSync(path)));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw storeError("STORE_CORRUPT", `${path} is not a derivation record`, {
      fix: `Remove ${path}.`,
      cause,
    });
  }
};

const readOutputs = (value: JsonValue): Outputs => {
  if (!isJsonObject(value)) throw new TypeError("not an object");
  return Object.fromEntries(
    Object.entries(value).map(([name, found]) => {
      if (name.length > MAX_NAME_UNITS) throw new TypeError("a name is too long");
      return [name, output.read(found, name)];
    }),
  );
};
