import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { isDrydockError, parseCheckpoint, splitNotes } from "@drydock/evidence";

const LINE_FEED = 0x0a;

/**
 * How much of a journal's two files is whole. A full disk, or a power cut, leaves half a line or
 * half a note at the end; nobody was ever told that it is there, so nobody misses it. What comes
 * before is checked against the newest whole signature by whoever reads it.
 */
export const wholeLines = (log: Buffer): number => log.lastIndexOf(LINE_FEED) + 1;

export const wholeNotes = (checkpoints: Buffer): number => {
  const newest = splitNotes(checkpoints.toString("utf8")).at(-1);
  if (newest === undefined || isWhole(newest.text)) return checkpoints.length;
  return checkpoints.length - Buffer.byteLength(newest.text, "utf8");
};

const isWhole = (note: string): boolean => {
  if (!note.endsWith("\n")) return false;
  try {
    parseCheckpoint(note);
    return true;
  } catch (error) {
    if (isDrydockError(error)) return false;
    throw error;
  }
};

/** Cuts the file to what is whole of it. Only under the journal's lock. */
export const cutTail = (path: string, whole: (bytes: Buffer) => number): void => {
  const bytes = readFileSync(path);
  const keep = whole(bytes);
  if (keep === bytes.length) return;
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, keep);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
