import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Journal,
  type JournalWriter,
  journalWriter,
  type OpenJournal,
  openAppendFile,
  type PublicKey,
  readJournal,
  type SigningKey,
} from "@drydock/evidence";
import { acquireLock, keepOwner } from "@drydock/vm";
import { keepHead, resumeKept } from "./journal-head.js";
import { cutTail, wholeLines, wholeNotes } from "./journal-tail.js";
import type { StateLayout } from "./layout.js";

export interface JournalPaths {
  readonly log: string;
  readonly checkpoints: string;
  /** Not part of the journal: what was known of it when it was last closed. */
  readonly head: string;
}

export const journalPaths = (layout: StateLayout, keyId: string): JournalPaths => {
  const base = join(layout.journal, keyId.slice("sha256:".length));
  return { log: `${base}.jsonl`, checkpoints: `${base}.checkpoint`, head: `${base}.head` };
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
    const { journal } = openJournal(paths, key.public);
    const log = openAppendFile(paths.log, "extend");
    const checkpoints = openAppendFile(paths.checkpoints, "extend");
    try {
      const writer = journalWriter(journal, key, { log, checkpoints });
      const result = work(writer);
      keepHead(paths, writer.head());
      return result;
    } finally {
      log.close();
      checkpoints.close();
    }
  } finally {
    lock.release();
  }
};

/**
 * Goes on from the kept head when the files are those that it was kept of, and reads all of them
 * otherwise, cutting off what was broken off. Only under the journal's lock.
 *
 * @throws DrydockError JOURNAL_FORMAT
 */
export const openJournal = (
  paths: JournalPaths,
  key: PublicKey,
): { readonly how: "resumed" | "read"; readonly journal: OpenJournal } => {
  const resumed = resumeKept(paths, key);
  if (resumed !== null) return { how: "resumed", journal: resumed };
  for (const path of [paths.log, paths.checkpoints])
    if (!existsSync(path)) {
      closeSync(openSync(path, "ax", 0o600));
      keepOwner(path);
    }
  cutTail(paths.log, wholeLines);
  cutTail(paths.checkpoints, wholeNotes);
  return { how: "read", journal: loadJournal(paths, key, true) };
};

/**
 * An entry takes milliseconds; a lock held longer belongs to a stuck process. Shorter than the
 * deadline of an ending's task, so that no verdict is entered after the run was given up.
 */
const JOURNAL_PATIENCE_MS = 5_000;
