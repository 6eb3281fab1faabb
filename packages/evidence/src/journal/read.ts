import { digestOf } from "../digest/digest.js";
import { DrydockError } from "../errors.js";
import { messageOf } from "../finding.js";
import type { PublicKey } from "../keys/key.js";
import { parseCheckpoint, splitNotes } from "../log/checkpoint.js";
import { linesOf } from "../log/lines.js";
import { IncrementalTree } from "../log/merkle.js";
import { isNoteSignedBy } from "../log/note.js";
import { FIRST_PREV } from "../record/record.js";
import type { Digest } from "../schema/common.js";
import { type JournalEntry, journalOrigin, readJournalEntry } from "./entry.js";
import type { OpenJournal } from "./resume.js";

export interface JournalFiles {
  readonly log: Iterable<Buffer>;
  readonly checkpoints: string;
}

export interface Journal extends OpenJournal {
  readonly key: PublicKey;
  readonly entries: readonly JournalEntry[];
  /** Roots at each size, the empty journal included: index is the size. */
  readonly rootAt: (size: number) => Buffer | undefined;
}

/**
 * Reads a controller's journal: form, chain, and that its newest checkpoint signs exactly what
 * the log holds. Only the newest signature is checked, since it covers every line.
 *
 * @param allowTail accepts entries after the newest checkpoint: a crash between the two writes
 *   leaves them, and only the owner of the key, who signs again, may shrug at that.
 * @throws DrydockError JOURNAL_FORMAT naming the line
 */
export const readJournal = (files: JournalFiles, key: PublicKey, allowTail = false): Journal => {
  const entries: JournalEntry[] = [];
  const tree = new IncrementalTree();
  const roots: Buffer[] = [tree.root()];
  let prev: Digest = FIRST_PREV;
  for (const line of linesOf(files.log)) {
    const place = `journal line ${entries.length + 1}, byte ${line.offset}`;
    if (!line.whole) throw malformed(`${place}: the line has no end`);
    const entry = readLine(line.bytes, place);
    if (entry.index !== entries.length) throw malformed(`${place}: index ${entry.index}`);
    if (entry.prev !== prev) throw malformed(`${place}: prev isn't the digest of the line before`);
    entries.push(entry);
    tree.append(line.bytes);
    roots.push(tree.root());
    prev = digestOf(line.bytes);
  }
  const journal: Journal = {
    ...{ key, entries, tree, prev },
    rootAt: (size) => roots[size],
    entriesOf: (experiment) => entries.filter((entry) => entry.experiment === experiment),
  };
  checkHead(journal, files.checkpoints, allowTail);
  return journal;
};

const readLine = (line: Uint8Array, place: string): JournalEntry => {
  try {
    return readJournalEntry(line);
  } catch (cause) {
    throw malformed(`${place}: ${messageOf(cause)}`, cause);
  }
};

const checkHead = (journal: Journal, checkpoints: string, allowTail: boolean): void => {
  const newest = splitNotes(checkpoints).at(-1);
  if (newest === undefined) {
    if (journal.entries.length > 0 && !allowTail) throw malformed("journal has no checkpoint");
    return;
  }
  const head = parseCheckpoint(newest.text);
  const origin = journalOrigin(journal.key.keyId);
  if (head.origin !== origin || !isNoteSignedBy(head.note, origin, journal.key)) {
    throw malformed("the newest journal checkpoint isn't signed by this key");
  }
  if (head.size > journal.entries.length) {
    throw malformed(`journal holds ${journal.entries.length} entries, ${head.size} were signed`);
  }
  if (head.size < journal.entries.length && !allowTail) {
    throw malformed(`entries after line ${head.size} are unsigned`);
  }
  if (journal.rootAt(head.size)?.equals(head.root) !== true) {
    throw malformed("the newest journal checkpoint signs another history");
  }
};

const malformed = (what: string, cause?: unknown): DrydockError =>
  new DrydockError("JOURNAL_FORMAT", what, {
    fix: "Restore the journal from a copy; never edit it. A new controller key starts a new one.",
    cause,
  });
