import { type Finding, finding } from "../finding.js";
import { MAX_RECORD_BYTES } from "../record/record.js";
import type { LogFold } from "./fold.js";
import { wholeLinesOf } from "./lines.js";
import { openPartReader } from "./part-reader.js";
import { RANGE_BYTES, type Range, rangeBuffer, readRange } from "./range.js";
import type { LogSource } from "./source.js";

/** Below this a second thread costs more to start than it saves. */
const TWO_THREADS_FROM = 8 * RANGE_BYTES;

/**
 * Feeds a whole log to a fold, in memory that doesn't grow with it. A long log is read by two
 * threads in turns, a range each.
 *
 * @returns what ended the valid prefix early, or null.
 */
export const readLog = (source: LogSource, fold: LogFold): Finding | null => {
  const buffer = rangeBuffer();
  const helper = source.size >= TWO_THREADS_FROM ? openPartReader(source, fold.options) : null;
  try {
    for (let from = 0; from < source.size; from += RANGE_BYTES) {
      const next = from + RANGE_BYTES;
      const helping = helper !== null && next < source.size;
      if (helping) helper.start(next);
      const problem = foldRange(readRange(source, from, buffer), fold);
      if (problem !== null) return problem;
      const part = helping ? helper.finish() : null;
      // A part counts only if all of it was good and it joins; else it is read here again.
      if (part !== null && fold.join(part)) from = next;
    }
    return null;
  } finally {
    helper?.close();
  }
};

const foldRange = (range: Range, fold: LogFold): Finding | null => {
  const problem = foldLines(range.lines, range.offset, fold);
  if (problem !== null || range.rest.length === 0) return problem;
  const offset = range.offset + range.lines.length;
  // Too long to be a record, whether or not it has an end: reading it says so.
  if (range.rest.length > MAX_RECORD_BYTES) return fold.accept(range.rest, offset);
  const { file } = fold.options;
  return finding("LOG_PARTIAL_LINE", file, `byte ${offset}`, "the last line has no end");
};

/** @param lines end with the LF of their last line. */
export const foldLines = (lines: Buffer, offset: number, fold: LogFold): Finding | null => {
  for (const line of wholeLinesOf(lines, offset)) {
    const problem = fold.accept(line.bytes, line.offset);
    if (problem !== null) return problem;
  }
  return null;
};
