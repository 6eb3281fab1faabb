import { DrydockError } from "../errors.js";
import type { SigningKey } from "../keys/key.js";
import type { Role } from "../record/vocabulary.js";
import type { Id } from "../schema/common.js";
import { type Note, parseNote, signNote } from "./note.js";

/** A C2SP tlog-checkpoint: the head of one log at one size. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export interface SignedCheckpoint extends Checkpoint {
  readonly note: Note;
}

export const logOrigin = (run: Id, role: Role): string => `drydock.dev/log/v1/${run}/${role}`;

export const signCheckpoint = (checkpoint: Checkpoint, key: SigningKey): string =>
  signNote(
    `${checkpoint.origin}\n${checkpoint.size}\n${checkpoint.root.toString("base64")}\n`,
    checkpoint.origin,
    key,
  );

/**
 * Reads one signed checkpoint. It checks no signature: that is for the caller, who knows the key.
 *
 * @throws DrydockError CHECKPOINT_FORMAT or NOTE_FORMAT
 */
export const parseCheckpoint = (signed: string): SignedCheckpoint => {
  const note = parseNote(signed);
  const match = /^([^\n]{1,512})\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(note.text);
  const size = Number(match?.[2]);
  const root = Buffer.from(match?.[3] ?? "", "base64");
  if (
    match?.[1] === undefined ||
    !Number.isSafeInteger(size) ||
    root.toString("base64") !== match[3]
  ) {
    throw new DrydockError("CHECKPOINT_FORMAT", "not a checkpoint: origin, size, root");
  }
  return { origin: match[1], size, root, note };
};

/**
 * Reads a `.checkpoint` file: notes one after the other, the newest last. Our checkpoints have
 * three lines of text and no extension, so a note ends where the next origin line begins.
 *
 * @throws DrydockError CHECKPOINT_FORMAT or NOTE_FORMAT, with the byte where the bad note starts
 *   in `at`.
 */
export const splitNotes = (file: string): { readonly at: number; readonly text: string }[] => {
  const notes: { at: number; text: string }[] = [];
  let start = 0;
  for (let line = 0; line < file.length; ) {
    const end = file.indexOf("\n", line);
    const next = end < 0 ? file.length : end + 1;
    const endsNote = file.startsWith("— ", line) && !file.startsWith("— ", next);
    if (endsNote || next === file.length) {
      notes.push({ at: start, text: file.slice(start, next) });
      start = next;
    }
    line = next;
  }
  return notes;
};
