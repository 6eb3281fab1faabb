import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import {
  digestOf,
  findEntries,
  isDrydockError,
  type JournalHead,
  journalHeadReader,
  type OpenJournal,
  type PublicKey,
  parseJson,
  resumeJournal,
  shape,
  splitNotes,
} from "@drydock/evidence";
import type { JournalPaths } from "./journal.js";
import { writePrivately } from "./write-privately.js";

const keptReader = shape.object({
  log: shape.text(256, 1),
  checkpoints: shape.text(256, 1),
  head: journalHeadReader,
});

/**
 * Keeps where the journal stands, with what tells its files from changed ones: a write by anybody
 * gives another change time, and then all is read and checked again. It saves reading, and nothing
 * is believed for it: the newest signature has to be of this very head.
 */
export const keepHead = (paths: JournalPaths, head: JournalHead): void => {
  const kept = { log: identityOf(paths.log), checkpoints: identityOf(paths.checkpoints), head };
  writePrivately(paths.head, JSON.stringify(kept));
};

/** Null when there is nothing kept, or when it is not of these files. */
export const resumeKept = (paths: JournalPaths, key: PublicKey): OpenJournal | null => {
  const kept = readKept(paths.head);
  if (kept === null) return null;
  for (const name of ["log", "checkpoints"] as const)
    if (kept[name] !== identityOf(paths[name])) return null;
  if (kept.head.prev !== digestOf(lastLine(paths.log))) return null;
  return resumeJournal(kept.head, lastNote(paths.checkpoints), key, (experiment) =>
    findEntries(chunksOf(paths.log), experiment),
  );
};

const readKept = (path: string): shape.Shape<typeof keptReader> | null => {
  try {
    return keptReader.read(parseJson(readFileSync(path)), "journal head");
  } catch (error) {
    // Half written, or of another version: it only ever saved reading.
    if (isDrydockError(error) || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};

/** "" when there is no such file, which no kept identity is. */
const identityOf = (path: string): string => {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (status === undefined) return "";
  const { dev, ino, size, mtimeNs, ctimeNs } = status;
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
};

/** A journal's note is a few hundred bytes; a witness may have added some lines. */
const MAX_NOTE_BYTES = 64 * 1024;

const lastNote = (path: string): string =>
  splitNotes(tailOf(path, MAX_NOTE_BYTES).toString("utf8")).at(-1)?.text ?? "";

/** Twice the longest entry that the format allows. */
const MAX_LINE_BYTES = 8 * 1024;
const LINE_FEED = 0x0a;

const lastLine = (path: string): Buffer => {
  const tail = tailOf(path, MAX_LINE_BYTES);
  return tail.subarray(tail.lastIndexOf(LINE_FEED, -2) + 1, -1);
};

const tailOf = (path: string, most: number): Buffer => {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, most));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes;
  } finally {
    closeSync(file);
  }
};

const CHUNK_BYTES = 1024 * 1024;

function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (;;) {
      // A new one each time: a line that is kept for later may lie in it.
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const got = readSync(file, chunk, 0, chunk.length, null);
      if (got === 0) return;
      yield chunk.subarray(0, got);
    }
  } finally {
    closeSync(file);
  }
}
