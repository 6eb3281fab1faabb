import { digestOf } from "../digest/digest.js";
import type { Verdict } from "../gates/gate.js";
import { canonicalBytes } from "../json/canonical.js";
import type { SigningKey } from "../keys/key.js";
import { signCheckpoint } from "../log/checkpoint.js";
import type { AppendFile } from "../log/file.js";
import type { Digest, Id, Instant } from "../schema/common.js";
import { type Attempt, attemptsBefore } from "./attempts.js";
import { JOURNAL_SCHEMA, type JournalEntry, journalOrigin } from "./entry.js";
import type { JournalHead, OpenJournal } from "./resume.js";

/** A run's place in its controller's journal; the verdict commits it. */
export interface JournalPlace {
  readonly origin: string;
  /** Of the run's `sealed` entry. */
  readonly index: number;
  /** Head right after that entry. */
  readonly size: number;
  readonly root: Digest;
}

export interface SealedInJournal {
  readonly place: JournalPlace;
  readonly earlierAttempts: readonly Attempt[];
  /** Signed checkpoint to keep elsewhere. */
  readonly note: string;
}

export interface JournalRun {
  readonly run: Id;
  readonly manifest: Digest;
  readonly experiment: Digest;
  readonly wall: Instant;
}

export interface JournalWriter {
  /** Enters a run. Durable on return; call it before anything boots. */
  sealed(run: JournalRun): SealedInJournal;
  /** Enters its verdict. Durable on return. */
  verdict(run: JournalRun, verdict: Verdict, statement: Digest): { readonly note: string };
  /** Where the journal stands now, for whoever goes on with it. */
  head(): JournalHead;
}

/**
 * Continues a journal. The caller holds a lock around `readJournal` and every append: two writers
 * at once would fork the log, and nothing could join it again.
 */
export const journalWriter = (
  journal: OpenJournal,
  key: SigningKey,
  files: { readonly log: AppendFile; readonly checkpoints: AppendFile },
): JournalWriter => {
  const appended: JournalEntry[] = [];
  const { tree } = journal;
  const origin = journalOrigin(key.public.keyId);
  let prev = journal.prev;

  const append = (entry: JournalEntry): string => {
    const line = canonicalBytes(entry);
    files.log.append(Buffer.concat([line, Buffer.from("\n")]));
    files.log.sync();
    tree.append(line);
    prev = digestOf(line);
    appended.push(entry);
    const note = signCheckpoint({ origin, size: tree.size, root: tree.root() }, key);
    files.checkpoints.append(Buffer.from(note, "utf8"));
    files.checkpoints.sync();
    return note;
  };

  const common = (run: JournalRun) =>
    ({ schema: JOURNAL_SCHEMA, index: tree.size, prev, ...run }) as const;

  return {
    sealed: (run) => {
      const index = tree.size;
      const note = append({ kind: "sealed", ...common(run) });
      return {
        place: { origin, index, size: tree.size, root: `sha256:${tree.root().toString("hex")}` },
        earlierAttempts: attemptsBefore(
          [...journal.entriesOf(run.experiment), ...appended],
          run.experiment,
          index,
        ),
        note,
      };
    },
    verdict: (run, verdict, statement) => ({
      note: append({ kind: "verdict", ...common(run), verdict, statement }),
    }),
    head: () => ({ prev, subtrees: tree.frontier.map((subtree) => ({ ...subtree })) }),
  };
};
