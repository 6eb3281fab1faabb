import { imageError, quote } from "../errors.js";
import type { Attributes } from "../tree/node.js";
import { checkBudget } from "./budget.js";
import { parseHeader, type RawHeader, TAR_BLOCK_BYTES } from "./header.js";
import { type EntryKind, entryKind } from "./kind.js";
import type { ArchiveLimits } from "./limits.js";
import { type PaxOverrides, parsePax } from "./pax.js";

export interface TarEntry {
  readonly kind: EntryKind;
  /** As the archive has it: not yet checked. */
  readonly path: string;
  readonly target: string;
  readonly attributes: Attributes;
  readonly size: number;
  readonly droppedAttributes: number;
}

export interface EntrySink {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => void;
}

export interface TarReader {
  readonly push: (bytes: Uint8Array) => void;
  /** The archive's bytes are all pushed; throws when it is not whole. */
  readonly end: () => void;
}

/** A long name or a pax header of more than this is an attack on the reader's memory. */
const MAX_EXTENSION_BYTES = 64 * 1024;
const MAX_ID = 2 ** 32 - 2;

type State =
  | { readonly kind: "header" }
  | {
      readonly kind: "extension";
      readonly type: string;
      readonly body: Buffer;
      filled: number;
      padding: number;
    }
  | { readonly kind: "content"; readonly sink: EntrySink; left: number; padding: number }
  | { readonly kind: "padding"; left: number }
  | { readonly kind: "ended" };

/**
 * A strict tar reader: ustar, pax and GNU long names; files, directories and links. Whatever else
 * an archive can hold is refused by name. Memory use does not depend on the archive.
 */
export const createTarReader = (
  limits: Pick<ArchiveLimits, "bytes" | "entries">,
  onEntry: (entry: TarEntry) => EntrySink,
): TarReader => {
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  let blockFilled = 0;
  let state: State = { kind: "header" };
  let pending: PaxOverrides | undefined;
  let longName: string | undefined;
  let longLink: string | undefined;
  let entries = 0;
  let contentBytes = 0;

  const startExtension = (type: string, size: number): State => {
    if (size > MAX_EXTENSION_BYTES || size === 0) {
      throw imageError("IMAGE_BOUND", `a tar extension header has ${size} bytes`, {
        fix: `At most ${MAX_EXTENSION_BYTES} bytes are accepted.`,
      });
    }
    return {
      kind: "extension",
      type,
      body: Buffer.alloc(size),
      filled: 0,
      padding: paddingOf(size),
    };
  };

  const finishExtension = (type: string, body: Buffer): void => {
    switch (type) {
      case "x":
        if (pending !== undefined) throw imageError("IMAGE_FORMAT", "two pax headers in a row");
        pending = parsePax(body);
        return;
      case "g": {
        const { droppedAttributes, ...changes } = parsePax(body);
        if (droppedAttributes === 0 && Object.keys(changes).length === 0) return;
        throw imageError("IMAGE_FORMAT", "a global pax header changes all following entries");
      }
      case "L":
        longName = cutAtNul(body);
        return;
      case "K":
        longLink = cutAtNul(body);
        return;
    }
  };

  const startEntry = (raw: RawHeader): State => {
    const entry = describe(raw, pending, longName, longLink);
    pending = undefined;
    longName = undefined;
    longLink = undefined;
    entries += 1;
    contentBytes += entry.size;
    checkBudget({ entries, bytes: contentBytes }, limits);
    const sink = onEntry(entry);
    if (entry.size > 0) {
      return { kind: "content", sink, left: entry.size, padding: paddingOf(entry.size) };
    }
    sink.end();
    return { kind: "header" };
  };

  const onHeader = (): State => {
    const raw = parseHeader(block);
    if (raw === undefined) {
      if (pending !== undefined || longName !== undefined || longLink !== undefined) {
        throw imageError("IMAGE_FORMAT", "the archive ends after an extension header");
      }
      return { kind: "ended" };
    }
    return "xgLK".includes(raw.type) && raw.type !== ""
      ? startExtension(raw.type, raw.size)
      : startEntry(raw);
  };

  /** Consumes part of `bytes` and tells how much. */
  const step = (bytes: Uint8Array): number => {
    switch (state.kind) {
      case "header": {
        const used = Math.min(bytes.length, TAR_BLOCK_BYTES - blockFilled);
        block.set(bytes.subarray(0, used), blockFilled);
        blockFilled += used;
        if (blockFilled === TAR_BLOCK_BYTES) {
          blockFilled = 0;
          state = onHeader();
        }
        return used;
      }
      case "extension": {
        const used = Math.min(bytes.length, state.body.length - state.filled);
        state.body.set(bytes.subarray(0, used), state.filled);
        state.filled += used;
        if (state.filled === state.body.length) {
          finishExtension(state.type, state.body);
          state = afterContent(state.padding);
        }
        return used;
      }
      case "content": {
        const used = Math.min(bytes.length, state.left);
        state.sink.write(bytes.subarray(0, used));
        state.left -= used;
        if (state.left === 0) {
          state.sink.end();
          state = afterContent(state.padding);
        }
        return used;
      }
      case "padding": {
        const used = Math.min(bytes.length, state.left);
        state.left -= used;
        if (state.left === 0) state = { kind: "header" };
        return used;
      }
      case "ended": {
        if (bytes.some((byte) => byte !== 0)) {
          throw imageError("IMAGE_FORMAT", "the archive has data after its end");
        }
        return bytes.length;
      }
    }
  };

  return {
    push: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += step(bytes.subarray(at));
    },
    end: () => {
      if (state.kind !== "ended") throw imageError("IMAGE_FORMAT", "the tar archive is cut short");
    },
  };
};

const describe = (
  raw: RawHeader,
  pax: PaxOverrides | undefined,
  longName: string | undefined,
  longLink: string | undefined,
): TarEntry => {
  const path = pax?.path ?? longName ?? raw.name;
  const kind = entryKind(raw.type, path);
  const size = pax?.size ?? raw.size;
  const uid = pax?.uid ?? raw.uid;
  const gid = pax?.gid ?? raw.gid;
  if (uid > MAX_ID || gid > MAX_ID) {
    throw imageError("IMAGE_FORMAT", `${quote(path)} belongs to the user ${uid}, group ${gid}`);
  }
  if (kind !== "file" && size !== 0) {
    throw imageError("IMAGE_FORMAT", `${quote(path)} is a ${kind} with ${size} bytes of content`);
  }
  return {
    kind,
    path,
    target: pax?.linkpath ?? longLink ?? raw.linkname,
    attributes: { mode: raw.mode, uid, gid, mtime: pax?.mtime ?? raw.mtime },
    size,
    droppedAttributes: pax?.droppedAttributes ?? 0,
  };
};

const paddingOf = (size: number): number =>
  (TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;

const afterContent = (padding: number): State =>
  padding === 0 ? { kind: "header" } : { kind: "padding", left: padding };

const cutAtNul = (body: Buffer): string => {
  const end = body.indexOf(0);
  return body.toString("utf8", 0, end === -1 ? body.length : end);
};
