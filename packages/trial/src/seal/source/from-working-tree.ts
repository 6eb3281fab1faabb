import { closeSync, createReadStream, fstatSync } from "node:fs";
import { join } from "node:path";
import {
  checkFileSize,
  checkNotLfsPointer,
  checkSealedLink,
  checkSealedPath,
  checkTotals,
  LFS_POINTER_BYTES,
} from "../archive/check-entry.js";
import { type ArchiveEntry, byPath } from "../archive/entry.js";
import { FIXED_TIME } from "../archive/time.js";
import { ArchiveWriter } from "../archive/writer.js";
import { sealError } from "../errors.js";
import type { SealLimits } from "../limits.js";
import { decodePath } from "../names/decode.js";
import { display } from "../names/display.js";
import { realDirectory, tryLocateRepository } from "../repository/locate.js";
import { openRegular, readSmallFile } from "../repository/read-file.js";
import { offerRefs, readRefs } from "../repository/refs.js";
import { checkFileType } from "./check-file-type.js";
import type { SourceRequest } from "./request.js";
import type { SealedSource, SealPorts } from "./result.js";
import { type WalkedEntry, walk } from "./walk.js";

/**
 * Seals the files of a directory as they are, `.git` left out at every level. It runs no git. The
 * claim is weaker than a commit's: nobody else can name these bytes.
 */
export const sealWorkingTree = async (
  request: Extract<SourceRequest, { kind: "working-tree" }>,
  ports: Pick<SealPorts, "workspace" | "limits">,
): Promise<SealedSource> => {
  const { limits } = ports;
  const root = realDirectory(request.path);
  const entries: DescribedEntry[] = [];
  for (const walked of walk(root, limits, (_path, name) => name.equals(DOT_GIT))) {
    entries.push(describeEntry(requireSeen(walked, limits), limits));
  }
  entries.sort((a, b) => byPath(a.entry, b.entry));
  checkTotals(
    entries.filter(({ entry }) => entry.kind !== "directory").length,
    entries.reduce((sum, { entry }) => sum + (entry.kind === "file" ? entry.size : 0), 0),
    limits,
  );
  const writer = await ArchiveWriter.create(join(ports.workspace, "source.tar"), FIXED_TIME);
  try {
    for (const each of entries) await addEntry(writer, each);
    return {
      identity: { claim: "working-tree", head: headOf(root) },
      archive: await writer.finish(),
      notes: [],
    };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
};

/** The commit that the files were probably made from; nothing depends on it. */
const headOf = (root: string): string | undefined => {
  const location = tryLocateRepository(root);
  return location === undefined ? undefined : offerRefs(readRefs(location)).head?.oid;
};

const DOT_GIT = Buffer.from(".git");

type SeenEntry = Extract<WalkedEntry, { kind: "seen" }>;

interface DescribedEntry {
  readonly entry: ArchiveEntry;
  readonly walked: SeenEntry;
}

const requireSeen = (walked: WalkedEntry, limits: SealLimits): SeenEntry => {
  switch (walked.kind) {
    case "seen":
      return walked;
    case "unreadable":
      throw sealError("SOURCE_UNREADABLE", `cannot read ${display(walked.path)}: ${walked.code}`, {
        fix: "check its permissions, or leave it out of the source",
      });
    case "bound":
      throw sealError(
        "SOURCE_LIMIT",
        `${display(walked.path)} is beyond ${limits[walked.limit]}; the bound is ${walked.limit}`,
        { fix: "seal a subdirectory" },
      );
  }
};

const describeEntry = (walked: SeenEntry, limits: SealLimits): DescribedEntry => {
  const { status, target } = walked;
  const path = decodePath(walked.path);
  checkSealedPath(path, limits);
  switch (checkFileType(path, Number(status.mode))) {
    case "directory":
      return { entry: { kind: "directory", path }, walked };
    case "link": {
      const checked = checkSealedLink(path, target ?? Buffer.alloc(0), limits);
      return { entry: { kind: "link", path, target: checked }, walked };
    }
    case "file": {
      const size = Number(status.size);
      checkFileSize(path, size, limits);
      const executable = (status.mode & 0o100n) !== 0n;
      return { entry: { kind: "file", path, size, executable }, walked };
    }
  }
};

const addEntry = async (
  writer: ArchiveWriter,
  { entry, walked }: DescribedEntry,
): Promise<void> => {
  if (entry.kind !== "file") return writer.add(entry);
  const path = walked.full;
  if (entry.size < LFS_POINTER_BYTES) {
    checkNotLfsPointer(entry.path, readSmallFile(path, LFS_POINTER_BYTES) ?? Buffer.alloc(0));
  }
  const descriptor = openRegular(path);
  if (descriptor === undefined) throw changed(entry.path);
  try {
    requireSame(entry.path, walked, descriptor);
    await writer.add(entry, bounded(entry, descriptor));
    requireSame(entry.path, walked, descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Exactly the stated size: a file that grows or shrinks is caught here or by `requireSame`. */
async function* bounded(
  entry: Extract<ArchiveEntry, { kind: "file" }>,
  descriptor: number,
): AsyncGenerator<Buffer> {
  if (entry.size === 0) return;
  let read = 0;
  const stream = createReadStream("", { fd: descriptor, autoClose: false, end: entry.size - 1 });
  for await (const chunk of stream) {
    read += chunk.length;
    yield chunk as Buffer;
  }
  if (read !== entry.size) throw changed(entry.path);
}

const requireSame = (path: string, { status }: SeenEntry, descriptor: number): void => {
  const now = fstatSync(descriptor, { bigint: true });
  const same =
    now.dev === status.dev &&
    now.ino === status.ino &&
    now.size === status.size &&
    now.mtimeNs === status.mtimeNs &&
    now.ctimeNs === status.ctimeNs;
  if (!same) throw changed(path);
};

const changed = (path: string): Error =>
  sealError("SOURCE_CHANGED", `${display(path)} changed while it was sealed`, {
    fix: "stop what writes there and run it again",
  });
