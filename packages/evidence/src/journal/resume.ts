import { isDrydockError } from "../errors.js";
import type { PublicKey } from "../keys/key.js";
import { parseCheckpoint, type SignedCheckpoint } from "../log/checkpoint.js";
import { linesOf } from "../log/lines.js";
import { IncrementalTree } from "../log/merkle.js";
import { isNoteSignedBy } from "../log/note.js";
import { digest } from "../schema/common.js";
import { array, integer, object, pattern, type Shape } from "../schema/reader.js";
import { type JournalEntry, journalOrigin, readJournalEntry } from "./entry.js";

/** What a writer has to know of a journal to go on with it: its size is the sum of the subtrees'. */
export const journalHeadReader = object({
  /** Digest of the last line. */
  prev: digest,
  /** RFC 6962 hashes of the complete subtrees from left to right, each lower than the one before. */
  subtrees: array(
    object({ height: integer(0, 52), hash: pattern(/^[0-9a-f]{64}$/, "64 hexadecimal digits") }),
    53,
  ),
});
export type JournalHead = Shape<typeof journalHeadReader>;

/** A journal that can be gone on with. */
export interface OpenJournal {
  readonly tree: IncrementalTree;
  readonly prev: string;
  /** Entries that were there when it was opened, of one experiment, in order. */
  entriesOf(experiment: string): readonly JournalEntry[];
}

/**
 * Goes on with a journal without reading it: the subtrees have to give the size and the root that
 * the newest checkpoint signs, so a head can't be made up. That the lines are still those that were
 * read once is the caller's to know.
 *
 * @returns null when head and checkpoint don't fit, or the key didn't sign: then it has to be read.
 */
export const resumeJournal = (
  head: JournalHead,
  newestCheckpoint: string,
  key: PublicKey,
  entriesOf: OpenJournal["entriesOf"],
): OpenJournal | null => {
  const tree = IncrementalTree.resume(head.subtrees);
  const signed = readCheckpoint(newestCheckpoint);
  if (tree === null || signed === null) return null;
  const origin = journalOrigin(key.keyId);
  const genuine = signed.origin === origin && isNoteSignedBy(signed.note, origin, key);
  if (!genuine || signed.size !== tree.size || !signed.root.equals(tree.root())) return null;
  return { tree, prev: head.prev, entriesOf };
};

const readCheckpoint = (text: string): SignedCheckpoint | null => {
  try {
    return parseCheckpoint(text);
  } catch (error) {
    if (isDrydockError(error)) return null;
    throw error;
  }
};

/** Entries of one experiment; lines that don't name it aren't read. @throws JsonError, ShapeError */
export const findEntries = (log: Iterable<Buffer>, experiment: string): readonly JournalEntry[] => {
  const found: JournalEntry[] = [];
  const name = Buffer.from(experiment, "utf8").toString("latin1");
  for (const { bytes, text, whole } of linesOf(log)) {
    if (!whole || !text.includes(name)) continue;
    const entry = readJournalEntry(bytes);
    if (entry.experiment === experiment) found.push(entry);
  }
  return found;
};
