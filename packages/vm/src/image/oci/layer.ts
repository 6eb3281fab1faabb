import { imageError, quote } from "../errors.js";
import type { ArchiveLimits } from "../tar/limits.js";
import { createTarReader, type EntrySink, type TarEntry, type TarReader } from "../tar/read.js";
import { type Attributes, bytesContent, type Content } from "../tree/node.js";
import { parseEntryPath } from "../tree/path.js";
import type { Spool } from "../tree/spool.js";
import { checkConflicts } from "./conflicts.js";
import { parseWhiteout } from "./whiteout.js";

/** One layer as read, before it is laid over those below. */
export interface Layer {
  readonly entries: readonly LayerEntry[];
  /** Paths that vanish from the layers below. */
  readonly hidden: readonly (readonly string[])[];
  /** Directories of which nothing below shows through. */
  readonly opaque: readonly (readonly string[])[];
  readonly droppedAttributes: number;
}

export interface LayerEntry {
  readonly path: readonly string[];
  readonly attributes: Attributes;
  readonly what:
    | { readonly kind: "directory" }
    | { readonly kind: "file"; readonly content: Content }
    | { readonly kind: "symlink"; readonly target: string }
    | { readonly kind: "hardlink"; readonly target: readonly string[] };
}

const IGNORE: EntrySink = { write: () => undefined, end: () => undefined };
/** Linux refuses longer targets, and erofs keeps one in a block. */
const MAX_TARGET_BYTES = 4000;

/** Collects a layer while its bytes are pushed; `finish` checks it as a whole. */
export const readLayer = (
  limits: ArchiveLimits,
  spool: Spool,
): { readonly reader: TarReader; readonly finish: () => Layer } => {
  const entries: LayerEntry[] = [];
  const hidden: (readonly string[])[] = [];
  const opaque: (readonly string[])[] = [];
  let droppedAttributes = 0;
  const reader = createTarReader(limits, (entry) => {
    droppedAttributes += entry.droppedAttributes;
    const path = parseEntryPath(entry.path, limits.depth);
    const whiteout = parseWhiteout(path);
    if (whiteout.kind !== "none") {
      if (entry.kind !== "file" || entry.size !== 0) {
        throw imageError(
          "IMAGE_WHITEOUT",
          `the whiteout ${quote(entry.path)} is not an empty file`,
        );
      }
      if (whiteout.kind === "hide") hidden.push(whiteout.path);
      else opaque.push(whiteout.directory);
      return IGNORE;
    }
    return addEntry(entries, path, entry, limits, spool);
  });
  return {
    reader,
    finish: () => {
      reader.end();
      checkConflicts(entries, hidden, opaque);
      return { entries, hidden, opaque, droppedAttributes };
    },
  };
};

const addEntry = (
  entries: LayerEntry[],
  path: readonly string[],
  entry: TarEntry,
  limits: ArchiveLimits,
  spool: Spool,
): EntrySink => {
  const { attributes } = entry;
  const add = (what: LayerEntry["what"]): void => {
    entries.push({ path, attributes, what });
  };
  if (path.length === 0 && entry.kind !== "directory") {
    throw imageError("IMAGE_PATH", `the entry ${quote(entry.path)} replaces the root`);
  }
  switch (entry.kind) {
    case "directory":
      add({ kind: "directory" });
      return IGNORE;
    case "symlink":
      add({ kind: "symlink", target: parseTarget(entry) });
      return IGNORE;
    case "hardlink":
      add({ kind: "hardlink", target: parseEntryPath(entry.target, limits.depth) });
      return IGNORE;
    case "file": {
      if (entry.size === 0) {
        add({ kind: "file", content: bytesContent("") });
        return IGNORE;
      }
      const content = spool.begin();
      return {
        write: content.write,
        end: () => add({ kind: "file", content: content.end() }),
      };
    }
  }
};

/** Where a link points is the guest's affair: only its kernel ever follows it. */
const parseTarget = ({ path, target }: TarEntry): string => {
  const bytes = Buffer.byteLength(target);
  if (bytes > 0 && bytes <= MAX_TARGET_BYTES && !target.includes("\ufffd")) return target;
  throw imageError(
    "IMAGE_LINK",
    `${quote(path)} is a link with a target of ${bytes} bytes or not in UTF-8`,
  );
};
