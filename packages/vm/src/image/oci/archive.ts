import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { join, posix } from "node:path";
import { imageError, quote } from "../errors.js";
import type { ArchiveLimits } from "../tar/limits.js";
import { createTarReader, type EntrySink } from "../tar/read.js";
import { readContent } from "../tree/content.js";
import { bytesContent, type Content } from "../tree/node.js";
import { parseEntryPath } from "../tree/path.js";
import type { Spool } from "../tree/spool.js";
import { isLayoutMember, layoutMember } from "./member.js";

/** The files of an image as they came: a directory, or a tar archive. */
export interface Bundle {
  readonly has: (path: string) => boolean;
  /** A small member whole. */
  readonly read: (path: string, limit: number) => Buffer;
  /** A member piece by piece. */
  readonly stream: (path: string) => AsyncIterable<Buffer>;
}

const READ_BYTES = 1024 * 1024;
const MAX_MEMBERS = 4096;
const MAX_MEMBER_DEPTH = 8;

export const openBundle = async (
  path: string,
  spool: Spool,
  limits: ArchiveLimits,
): Promise<Bundle> => {
  let isDirectory: boolean;
  try {
    isDirectory = lstatSync(path).isDirectory();
  } catch (cause) {
    throw imageError("IMAGE_INPUT", `cannot read ${quote(path)}: ${(cause as Error).message}`, {
      fix: "Give the path of an OCI image layout or of a `docker save` archive.",
      cause,
    });
  }
  return isDirectory ? directoryBundle(path) : archiveBundle(path, spool, limits);
};

const directoryBundle = (root: string): Bundle => {
  const open = (path: string): number => openMember(join(root, layoutMember(path)));
  return {
    has: (path) =>
      isLayoutMember(path) &&
      lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true,
    read: (path, limit) => {
      const descriptor = open(path);
      try {
        const { size } = fstatSync(descriptor);
        if (size > limit) throw tooLarge(path, limit);
        const bytes = Buffer.alloc(size);
        let at = 0;
        while (at < size) {
          const read = readSync(descriptor, bytes, at, size - at, at);
          if (read === 0) break;
          at += read;
        }
        return bytes.subarray(0, at);
      } finally {
        closeSync(descriptor);
      }
    },
    stream: (path) => pieces(() => open(path), 0, Number.MAX_SAFE_INTEGER),
  };
};

const archiveBundle = async (
  path: string,
  spool: Spool,
  limits: ArchiveLimits,
): Promise<Bundle> => {
  const members = new Map<string, Content | { readonly kind: "link"; readonly target: string }>();
  const add = (name: string, member: Content | { kind: "link"; target: string }): void => {
    if (members.has(name)) {
      throw imageError("IMAGE_DUPLICATE", `the archive has the member ${quote(name)} twice`);
    }
    members.set(name, member);
  };
  const ignore: EntrySink = { write: () => undefined, end: () => undefined };
  const reader = createTarReader({ bytes: limits.bytes, entries: MAX_MEMBERS }, (entry) => {
    const name = parseEntryPath(entry.path, MAX_MEMBER_DEPTH).join("/");
    switch (entry.kind) {
      case "directory":
        return ignore;
      case "symlink":
        add(name, { kind: "link", target: posix.join(posix.dirname(name), entry.target) });
        return ignore;
      case "hardlink":
        throw imageError("IMAGE_LINK", `the archive's member ${quote(name)} is a hard link`);
      case "file": {
        if (entry.size === 0) {
          add(name, bytesContent(""));
          return ignore;
        }
        const content = spool.begin();
        return { write: content.write, end: () => add(name, content.end()) };
      }
    }
  });
  for await (const piece of pieces(() => openMember(path), 0, Number.MAX_SAFE_INTEGER)) {
    reader.push(piece);
  }
  reader.end();
  // Docker before 25 writes a repeated layer as a link to its first copy: one hop, in the archive.
  const find = (name: string): Content | undefined => {
    const member = members.get(name);
    if (member?.kind !== "link") return member;
    const target = members.get(member.target);
    return target?.kind === "link" ? undefined : target;
  };
  const get = (name: string): Content => {
    const content = find(name);
    if (content !== undefined) return content;
    throw imageError("IMAGE_FORMAT", `the archive has no member ${quote(name)}`);
  };
  return {
    has: (name) => find(name) !== undefined,
    read: (name, limit) => {
      const content = get(name);
      if (content.size > limit) throw tooLarge(name, limit);
      return readContent(content, limit);
    },
    stream: (name) => contentPieces(get(name)),
  };
};

const contentPieces = async function* (content: Content): AsyncGenerator<Buffer> {
  if (content.kind === "bytes") yield content.bytes;
  else yield* pieces(() => openSync(content.path, "r"), content.offset, content.size);
};

const pieces = async function* (
  open: () => number,
  offset: number,
  length: number,
): AsyncGenerator<Buffer> {
  const descriptor = open();
  try {
    for (let done = 0; done < length; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, length - done));
      const read = readSync(descriptor, buffer, 0, buffer.length, offset + done);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      done += read;
    }
  } finally {
    closeSync(descriptor);
  }
};

/** O_NOFOLLOW and O_NONBLOCK: a link or a fifo in place of a blob is refused, not waited for. */
const openMember = (path: string): number => {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw imageError("IMAGE_FORMAT", `cannot open ${quote(path)}: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw imageError("IMAGE_FORMAT", `${quote(path)} is not a regular file`);
};

const tooLarge = (name: string, limit: number) =>
  imageError("IMAGE_BOUND", `${quote(name)} is larger than ${limit} bytes`);
