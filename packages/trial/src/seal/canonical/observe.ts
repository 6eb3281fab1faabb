import { createHash, type Hash } from "node:crypto";
import { closeSync, lstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { parseIndexPaths } from "../repository/index-file.js";
import {
  type RepositoryLocation,
  realDirectory,
  tryLocateRepository,
} from "../repository/locate.js";
import { openRegular, readSmallFile } from "../repository/read-file.js";
import { readRefs } from "../repository/refs.js";
import { type WalkedEntry, walk } from "../source/walk.js";
import type { CanonicalObservation } from "./observation.js";

export interface ObservationLimits {
  readonly files: number;
  readonly depth: number;
  /** File contents to read, in bytes: about a tenth of a second. All metadata is read anyway. */
  readonly contentBytes: number;
}

export const OBSERVATION_LIMITS: ObservationLimits = {
  files: 500_000,
  depth: 256,
  contentBytes: 64 * 1024 * 1024,
};

const INDEX_BYTES = 256 * 1024 * 1024;
const SMALL_FILE_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;

/**
 * Reads what identifies a checkout and its state. No git runs, no link is followed, nothing is
 * written; change times, which no unprivileged writer can forge, are part of every file's digest.
 * A directory in no repository is observed too, with the repository's fields null.
 *
 * @throws SOURCE_NOT_FOUND, SOURCE_UNREADABLE, REPOSITORY_REDIRECTED and others of `locate`.
 */
export const observeCanonical = (
  directory: string,
  limits: ObservationLimits = OBSERVATION_LIMITS,
): CanonicalObservation => {
  const location = tryLocateRepository(directory);
  const root = location?.workTree ?? location?.gitDirectory ?? realDirectory(directory);
  const status = lstatSync(root, { bigint: true });
  const git = location === undefined ? undefined : observeRepository(location);
  const files =
    location !== undefined && location.workTree === undefined
      ? digestFiles([], new Set(), limits)
      : digestFiles(
          walk(root, limits, (path) => path.equals(DOT_GIT)),
          git?.tracked ?? new Set(),
          limits,
        );
  return {
    pathIdentity: {
      realpath: root,
      device: status.dev.toString(),
      inode: status.ino.toString(),
    },
    head: git?.head ?? null,
    index: git?.index ?? null,
    tree: files.tree,
    untracked: files.untracked,
    refs: git?.refs ?? null,
    configuration: git?.configuration ?? null,
    coverage: files.coverage,
  };
};

const DOT_GIT = Buffer.from(".git");

const observeRepository = (location: RepositoryLocation) => {
  const index = readSmallFile(join(location.gitDirectory, "index"), INDEX_BYTES);
  const { head, refs } = readRefs(location);
  const oid = head.kind === "detached" ? head.oid : refs.get(head.ref);
  const oidBytes = oid?.length === 64 ? 32 : 20;
  return {
    head: head.kind === "detached" ? head.oid : `ref: ${head.ref}`,
    index: index === undefined ? null : digest(createHash("sha256").update(index)),
    refs: digestLines([...refs].map(([name, value]) => `${name} ${value}`).sort()),
    configuration: digestConfiguration(location),
    tracked: (index === undefined ? undefined : parseIndexPaths(index, oidBytes)) ?? new Set(),
  };
};

const digestConfiguration = (location: RepositoryLocation): string => {
  const lines: string[] = [];
  for (const name of ["config", "config.worktree"]) {
    const bytes = readSmallFile(join(location.gitDirectory, name), SMALL_FILE_BYTES * 16);
    lines.push(`${name} ${bytes?.toString("base64") ?? "-"}`);
  }
  for (const name of ["config", "hooks", "info"]) {
    const path = join(location.commonDirectory, name);
    const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (status === undefined) continue;
    lines.push(`${name} ${status.mode} ${status.ino} ${status.size} ${status.ctimeNs}`);
    if (!status.isDirectory()) continue;
    for (const entry of walk(path, { files: 10_000, depth: 16 }, () => false)) {
      lines.push(`${name}/${describe(entry)}`);
    }
  }
  return digestLines(lines);
};

const digestFiles = (
  entries: Iterable<WalkedEntry>,
  tracked: ReadonlySet<string>,
  limits: ObservationLimits,
) => {
  const tree = createHash("sha256");
  const untracked = createHash("sha256");
  let count = 0;
  let contentBytes = 0;
  let complete = true;
  for (const entry of entries) {
    count += 1;
    let contents = "-";
    if (entry.kind === "bound") complete = false;
    if (entry.kind === "seen" && entry.status.isFile()) {
      const size = Number(entry.status.size);
      if (contentBytes + size <= limits.contentBytes) {
        contents = digestContents(entry.full, size);
        contentBytes += size;
      } else {
        complete = false;
      }
    }
    const heading = tracked.has(entry.path.toString("latin1")) ? tree : untracked;
    heading.update(`${describe(entry)} ${contents}\n`);
  }
  return {
    tree: digest(tree),
    untracked: digest(untracked),
    coverage: { entries: count, contentBytes, complete },
  };
};

/** Everything but the access time, which reading may change. */
const describe = (entry: WalkedEntry): string => {
  const path = entry.path.toString("base64");
  switch (entry.kind) {
    case "seen": {
      const { mode, ino, nlink, uid, gid, size, mtimeNs, ctimeNs } = entry.status;
      const target = entry.target?.toString("base64") ?? "-";
      return [path, mode, ino, nlink, uid, gid, size, mtimeNs, ctimeNs, target].join(" ");
    }
    case "unreadable":
      return `${path} unreadable ${entry.code}`;
    case "bound":
      return `${path} bound ${entry.limit}`;
  }
};

const digestContents = (path: Buffer, size: number): string => {
  const descriptor = openRegular(path);
  if (descriptor === undefined) return "gone";
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.alloc(Math.min(READ_BYTES, size + 1));
    // At most the size that was seen: a file that grows shows in its metadata.
    for (let left = size; left > 0; ) {
      const read = readSync(descriptor, chunk, 0, Math.min(left, chunk.length), null);
      if (read === 0) break;
      hash.update(chunk.subarray(0, read));
      left -= read;
    }
    return hash.digest("hex");
  } finally {
    closeSync(descriptor);
  }
};

const digestLines = (lines: readonly string[]): string =>
  digest(createHash("sha256").update(lines.map((line) => `${line}\n`).join("")));

const digest = (hash: Hash): string => `sha256:${hash.digest("hex")}`;
