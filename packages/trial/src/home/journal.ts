import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Journal,
  type JournalWriter,
  journalWriter,
  openAppendFile,
  type PublicKey,
  readJournal,
  type SigningKey,
} from "@drydock/evidence";
import { acquireLock } from "@drydock/vm";
import { cutTail, wholeLines, wholeNotes } from "./journal-tail.js";
import type { StateLayout } from "./layout.js";

export interface JournalPaths {
  readonly log: string;
  readonly checkpoints: string;
}

export const journalPaths = (layout: StateLayout, keyId: string): JournalPaths => {
  const base = join(layout.journal, keyId.slice("sha256:".length));
  return { log: `${base}.jsonl`, checkpoints: `${base}.checkpoint` };
};

/** @throws DrydockError JOURNAL_FORMAT */
export const loadJournal = (paths: JournalPaths, key: PublicKey, allowTail: boolean): Journal => {
  const read = (path: string): Buffer => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
  return readJournal(
    { log: [read(paths.log)], checkpoints: read(paths.checkpoints).toString("utf8") },
    key,
    allowTail,
  );
};

/** Runs `work` as the only writer of this controller's journal. */
export const withJournal = async <T>(
  layout: StateLayout,
  key: SigningKey,
  work: (journal: JournalWriter) => T,
): Promise<T> => {
  const paths = journalPaths(layout, key.public.keyId);
  const lock = await acquireLock(layout.journal, "journal", { patienceMs: JOURNAL_PATIENCE_MS });
  try {
    for (const path of [paths.log, paths.checkpoints])
      if (!existsSync(path)) closeSync(openSync(path, "ax", 0o600));
    cutTail(paths.log, wholeLines);
    cutTail(paths.checkpoints, wholeNotes);
    const journal = loadJournal(paths, key.public, true);
    const log = openAppendFile(paths.log, "extend");
    const checkpoints = openAppendFile(paths.checkpoints, "extend");
    try {
      return work(journalWriter(journal, key, { log, checkpoints }));
    } finally {
      log.close();
      checkpoints.close();
    }
  } finally {
    lock.release();
  }
};

/**
 * An entry takes milliseconds; a lock held longer belongs to a stuck process. Shorter than the
 * deadline of an ending's task, so that no verdict is entered after the run was given up.
 */
const JOURNAL_PATIENCE_MS = 5_000;
