import { lstatSync, realpathSync, type Stats } from "node:fs";
import { quote } from "@drydock/evidence";
import { refuse } from "../codes.js";
import { reachesEngine } from "../holders/powers.js";
import type { PlatformMount } from "../platform/index.js";

export interface MountPlace {
  /** The directory that sources are in, as the user named it. */
  readonly directory: string;
  /** Sockets of the engine that is to mount them. */
  readonly sockets: readonly string[];
}

/**
 * Guard: what an anchor is given of the host is a file or a directory below the one directory that
 * the operator named, by a way on which nobody else may write and no link leads elsewhere, and no
 * way to an engine. Looked at before anything is changed.
 *
 * @returns the directory, absolute and without links
 * @throws DrydockError PLATFORM_MOUNT_REFUSED
 */
export const requireMountSources = (
  mounts: readonly PlatformMount[],
  { directory, sockets }: MountPlace,
): string => {
  const root = whole(directory);
  requireKept(root, directory);
  for (const { source } of mounts) {
    const segments = source.split("/");
    for (const [index] of segments.entries()) {
      const place = `${root}/${segments.slice(0, index + 1).join("/")}`;
      requireKept(place, source, index < segments.length - 1);
    }
    if (reachesEngine(`${root}/${source}`, sockets)) {
      refused(source, "leads to an engine", "Keep the engine's socket elsewhere.");
    }
  }
  return root;
};

const whole = (directory: string): string => {
  try {
    return realpathSync(directory);
  } catch (error) {
    return refused(directory, "isn't there", "Make it, with what the anchors are given.", error);
  }
};

const WRITABLE_BY_OTHERS = 0o022;

const requireKept = (place: string, named: string, isOnTheWay = true): void => {
  const stats = statsOf(place, named);
  if (!(stats.isDirectory() || (stats.isFile() && !isOnTheWay))) {
    refused(named, "is neither a file nor a directory", "Put a copy there: links aren't followed.");
  }
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0 || !isOwn(stats.uid)) {
    refused(named, "can be changed by others", "Give it to root, and let nobody else write there.");
  }
};

const statsOf = (place: string, named: string): Stats => {
  try {
    return lstatSync(place);
  } catch (error) {
    return refused(named, "isn't there", "Make it, with what the anchors are given.", error);
  }
};

const isOwn = (uid: number): boolean => uid === 0 || uid === process.getuid?.();

const refused = (named: string, what: string, fix: string, cause?: unknown): never =>
  refuse("PLATFORM_MOUNT_REFUSED", `${quote(named)} ${what}`, { fix, cause });
