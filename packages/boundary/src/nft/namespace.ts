import { closeSync, constants, fstatSync, openSync, readFileSync, statfsSync } from "node:fs";
import { DrydockError, quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";

/** How an appliance's network namespace is called. */
export type NetworkHandle =
  /** A file that it is mounted on, such as `/run/netns/<name>`. */
  | { readonly kind: "netns"; readonly path: string }
  /** The namespace of a process; `startTime` as in /proc/<pid>/stat, so that a number used again is no answer. */
  | { readonly kind: "pid"; readonly pid: number; readonly startTime: number };

/**
 * An open network namespace. The descriptor pins it: whatever happens to the name or the process,
 * every program that is run in it is run in this one.
 */
export interface NetworkNamespace extends Disposable {
  readonly descriptor: number;
  /** Device and inode of nsfs: the namespace's identity while it exists. */
  readonly identity: string;
  /** Where programs are looked for. */
  readonly toolDirectories: readonly string[];
}

/** Not from the environment: a boundary's programs are the system's. */
export const TOOL_DIRECTORIES: readonly string[] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** linux/magic.h: the file system that all namespaces are files of. */
const NSFS_MAGIC = 0x6e736673;

/** @throws DrydockError NAMESPACE_GONE */
export const openNamespace = (
  handle: NetworkHandle,
  toolDirectories: readonly string[] = TOOL_DIRECTORIES,
): NetworkNamespace => {
  const path = pathOf(handle);
  const descriptor = open(path);
  try {
    if (statfsSync(`/proc/self/fd/${descriptor}`).type !== NSFS_MAGIC) {
      return gone(`${quote(path)} is another kind of file`);
    }
    if (handle.kind === "pid" && startTimeOf(handle.pid) !== handle.startTime) {
      return gone(`process ${handle.pid} isn't the one that started at ${handle.startTime}`);
    }
    return {
      descriptor,
      identity: identityOf(descriptor),
      toolDirectories,
      [Symbol.dispose]: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};

/** In clock ticks since boot; null when there is no such process. */
export const startTimeOf = (pid: number): number | null => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // ENOENT or ESRCH: the process is gone, which is the answer.
    return null;
  }
  // proc(5): the name, field 2, may hold anything, so that fields are counted behind its bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const START_TIME = 22 - 3;
  return Number(fields[START_TIME]);
};

const pathOf = (handle: NetworkHandle): string => {
  switch (handle.kind) {
    case "netns":
      return handle.path;
    case "pid":
      return `/proc/${handle.pid}/ns/net`;
  }
};

const open = (path: string): number => {
  try {
    // Not blocking: a pipe of that name would wait for its other end for ever.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    return gone(`${quote(path)} can't be opened`, cause);
  }
};

const identityOf = (descriptor: number): string => {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}`;
};

const gone = (what: string, cause?: unknown): never => {
  throw new DrydockError<BoundaryCode>("NAMESPACE_GONE", `no network namespace: ${what}`, {
    fix: "name the namespace of an appliance that runs, as /run/netns/NAME or by its process",
    cause,
  });
};
