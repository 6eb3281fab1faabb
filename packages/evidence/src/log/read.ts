import { type Finding, finding } from "../finding.js";
import { MAX_RECORD_BYTES } from "../record/record.js";
import type { LogFold } from "./fold.js";
import { linesOf } from "./lines.js";

/**
 * Feeds a whole log to a fold, in memory that doesn't grow with it.
 *
 * @returns what ended the valid prefix early, or null.
 */
export const readLog = (chunks: Iterable<Buffer>, fold: LogFold): Finding | null => {
  for (const line of linesOf(chunks)) {
    if (!line.whole && line.bytes.length <= MAX_RECORD_BYTES) {
      const { file } = fold.options;
      return finding("LOG_PARTIAL_LINE", file, `byte ${line.offset}`, "the last line has no end");
    }
    const problem = fold.accept(line);
    if (problem !== null) return problem;
  }
  return null;
};
