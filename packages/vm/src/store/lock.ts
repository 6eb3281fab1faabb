import { createHash, randomUUID } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { removeIfPresent } from "./atomic.js";
import { storeError } from "./errors.js";
import { keepOwner } from "./keep-owner.js";
import { formatOwner, isAlive, parseOwner, thisProcess } from "./owner.js";

const POLL_MS = 50;
/** A build of the largest image takes minutes; whoever holds a lock longer than this is stuck. */
const DEFAULT_PATIENCE_MS = 20 * 60 * 1000;
/** Each level means one more process that died inside the few instructions of a recovery. */
const MAX_RECOVERY_DEPTH = 8;

export interface LockOptions {
  readonly patienceMs?: number;
  readonly onWait?: (holder: string) => void;
}

export interface Lock {
  readonly release: () => void;
}

/**
 * Takes the lock `name` in `directory`; waits for a live holder, recovers it from a dead one.
 * The file appears by link(2) with its owner already inside, so no reader sees it half written.
 */
export const acquireLock = async (
  directory: string,
  name: string,
  options: LockOptions = {},
): Promise<Lock> => {
  const deadline = performance.now() + (options.patienceMs ?? DEFAULT_PATIENCE_MS);
  let announced = false;
  for (;;) {
    const attempt = tryLock(directory, name);
    if (attempt.kind === "taken") return attempt.lock;
    if (!announced) options.onWait?.(attempt.holder);
    announced = true;
    if (performance.now() >= deadline) {
      throw storeError("STORE_LOCKED", `${name} is locked by process ${attempt.holder}`, {
        fix: "Wait for that process to finish, or stop it.",
      });
    }
    await delay(POLL_MS);
  }
};

export type LockAttempt =
  | { readonly kind: "taken"; readonly lock: Lock }
  | { readonly kind: "held"; readonly holder: string };

export const tryLock = (directory: string, name: string, depth = 0): LockAttempt => {
  const path = join(directory, `${name}.lock`);
  // The nonce makes two holds by the same process different, so a recovery can't hit the wrong one.
  const identity = `${formatOwner(thisProcess())} ${randomUUID()}`;
  for (;;) {
    if (linkNew(path, identity)) return { kind: "taken", lock: lockAt(path, identity) };
    const found = readIdentity(path);
    if (found === undefined) continue;
    const owner = parseOwner(found.split(" ")[0] ?? "");
    if (owner !== undefined && isAlive(owner)) return { kind: "held", holder: String(owner.pid) };
    if (!removeStale(directory, path, found, depth)) return { kind: "held", holder: "in recovery" };
  }
};

/**
 * Only one process may unlink a dead holder's file, and only while it is still that holder's:
 * otherwise a slow second recoverer would unlink the lock that the first one just took.
 */
const removeStale = (directory: string, path: string, identity: string, depth: number): boolean => {
  if (depth >= MAX_RECOVERY_DEPTH) {
    throw storeError("STORE_LOCKED", `cannot recover the stale lock ${path}`, {
      fix: `Remove ${path} and the .recover files beside it when no drydock process runs.`,
    });
  }
  const marker = `recover-${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`;
  const attempt = tryLock(directory, marker, depth + 1);
  if (attempt.kind === "held") return false;
  try {
    if (readIdentity(path) === identity) unlinkSync(path);
    return true;
  } finally {
    attempt.lock.release();
  }
};

const lockAt = (path: string, identity: string): Lock => ({
  release: () => {
    if (readIdentity(path) === identity) unlinkSync(path);
  },
});

/** What lies between a lock's name and its maker's in the name of a draft. */
export const DRAFT_SEPARATOR = ".lock.";

const linkNew = (path: string, identity: string): boolean => {
  // The maker in the name: a draft whose maker was killed before it wrote anything is still his.
  const temporary = `${path}.${formatOwner(thisProcess())}.${randomUUID()}`;
  writeFileSync(temporary, identity, { flag: "wx", mode: 0o600 });
  // Whoever waits reads who holds it.
  keepOwner(temporary);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    removeIfPresent(temporary);
  }
};

const readIdentity = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};
