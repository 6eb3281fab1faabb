import { MAX_RECORD_BYTES } from "../record/record.js";
import { type LogSource, readFully } from "./source.js";

/** What one thread reads at a time, and so the memory that a log of any size takes. */
export const RANGE_BYTES = 4 * 1024 * 1024;

/** The lines that begin in one range of a file. */
export interface Range {
  /** Whole lines, LF included; valid until the buffer is used again. */
  readonly lines: Buffer;
  /** Of the first line in the file. */
  readonly offset: number;
  /** What follows without an LF: a line cut off, or one too long to be a record. */
  readonly rest: Buffer;
}

const LINE_FEED = 0x0a;

export const rangeBuffer = (): Buffer => Buffer.allocUnsafe(RANGE_BYTES + MAX_RECORD_BYTES + 2);

/**
 * Reads the lines whose first byte lies in `[from, from + length)`, wherever they end: so
 * readers of neighbouring ranges share every line out between them without talking.
 */
export const readRange = (
  source: LogSource,
  from: number,
  buffer: Buffer,
  length: number = RANGE_BYTES,
): Range => {
  const begin = Math.max(0, from - 1);
  const bytes = readFully(source, buffer, begin);
  const to = Math.min(from + length - begin, bytes.length);
  const start = from === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
  if ((from > 0 && start === 0) || start >= to) {
    return { lines: bytes.subarray(0, 0), offset: from, rest: bytes.subarray(0, 0) };
  }
  const last = bytes.indexOf(LINE_FEED, to - 1);
  const end = last >= 0 ? last + 1 : Math.max(start, bytes.lastIndexOf(LINE_FEED) + 1);
  return {
    lines: bytes.subarray(start, end),
    offset: begin + start,
    rest: last >= 0 ? bytes.subarray(0, 0) : bytes.subarray(end),
  };
};
