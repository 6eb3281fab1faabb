import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readDerivation } from "./derived.js";
import { type Digest, digestOfHex } from "./digest.js";
import { DRAFT_SEPARATOR, tryLock } from "./lock.js";
import { isAlive, parseOwner } from "./owner.js";
import type { Store } from "./store.js";

export interface Pruned {
  readonly objects: number;
  readonly bytes: number;
  readonly temporary: number;
}

/**
 * Removes what neither `keep` nor a live process needs. An object stored after `keep` was
 * computed may belong to a build that has not named it yet, so nothing goes while a lock is held.
 */
export const prune = (store: Store, keep: ReadonlySet<Digest>): Pruned => {
  const temporary = pruneTemporary(store);
  if (holdsLiveLock(store)) return { objects: 0, bytes: 0, temporary };
  let objects = 0;
  let bytes = 0;
  for (const { digest, path } of storedObjects(store)) {
    if (keep.has(digest)) continue;
    bytes += lstatSync(path).size;
    objects += 1;
    rmSync(path, { force: true });
    rmSync(join(store.verified, digest.slice("sha256:".length)), { force: true });
  }
  pruneDerivations(store, keep);
  return { objects, bytes, temporary };
};

const storedObjects = function* (store: Store): Generator<{ digest: Digest; path: string }> {
  for (const shard of readdirSync(store.objects)) {
    for (const hex of readdirSync(join(store.objects, shard))) {
      yield { digest: digestOfHex(hex), path: join(store.objects, shard, hex) };
    }
  }
};

const pruneDerivations = (store: Store, keep: ReadonlySet<Digest>): void => {
  for (const key of readdirSync(store.derived)) {
    const path = join(store.derived, key);
    const outputs = Object.values(readDerivation(path) ?? {});
    if (outputs.some(({ digest }) => !keep.has(digest))) rmSync(path, { force: true });
  }
};

const pruneTemporary = (store: Store): number => {
  const drafts = readdirSync(store.locks).flatMap((name) => {
    const [, made] = name.split(DRAFT_SEPARATOR);
    return made === undefined ? [] : [{ path: join(store.locks, name), made }];
  });
  const scratch = readdirSync(store.tmp).map((name) => ({
    path: join(store.tmp, name),
    made: name,
  }));
  const left = [...scratch, ...drafts].filter(({ made }) => !isMadeByTheLiving(made));
  for (const { path } of left) rmSync(path, { recursive: true, force: true });
  return left.length;
};

const isMadeByTheLiving = (name: string): boolean => {
  const owner = parseOwner(name.slice(0, name.indexOf(".")));
  return owner !== undefined && isAlive(owner);
};

const LOCK_SUFFIX = ".lock";

/** Taking and releasing a dead holder's lock is also what recovers it. */
const holdsLiveLock = (store: Store): boolean =>
  readdirSync(store.locks)
    .filter((name) => name.endsWith(LOCK_SUFFIX))
    .some((name) => {
      const attempt = tryLock(store.locks, name.slice(0, -LOCK_SUFFIX.length));
      if (attempt.kind === "held") return true;
      attempt.lock.release();
      return false;
    });
