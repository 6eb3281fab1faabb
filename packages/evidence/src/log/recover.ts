import type { Finding } from "../finding.js";
import type { Role } from "../record/vocabulary.js";
import type { Digest, Id } from "../schema/common.js";
import { LogFold } from "./fold.js";
import { linesOf } from "./lines.js";
import type { LogTail } from "./writer.js";

export interface RecoveredLog {
  /** For `continueLog`, after the file was cut to `bytes`. */
  readonly tail: LogTail;
  readonly size: number;
  /** Length of the valid prefix; everything behind it has to go before the log goes on. */
  readonly bytes: number;
  readonly lastType: string | null;
  /** Why the prefix ends there; null when the file ends with it. */
  readonly stopped: Finding | "partial-line" | null;
}

/** The longest valid prefix of a log that a crash may have cut. A bad line is never skipped. */
export const recoverLog = (
  log: Iterable<Buffer>,
  expected: { readonly run: Id; readonly role: Role; readonly manifest: Digest },
): RecoveredLog => {
  const fold = new LogFold(
    {
      ...expected,
      authority: null,
      rootsAt: new Set(),
      file: `logs/${expected.role}.jsonl`,
      wanted: new Set(),
      observeUpTo: 0,
    },
    () => undefined,
  );
  let bytes = 0;
  let stopped: RecoveredLog["stopped"] = null;
  for (const line of linesOf(log)) {
    if (!line.whole) {
      stopped = "partial-line";
      break;
    }
    const problem = fold.accept(line);
    if (problem !== null) {
      stopped = problem;
      break;
    }
    bytes = line.offset + line.bytes.length + 1;
  }
  return {
    tail: { tree: fold.tree, prev: fold.prev },
    size: fold.size,
    bytes,
    lastType: fold.lastType,
    stopped,
  };
};
