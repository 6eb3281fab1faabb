import { MAX_RECORD_BYTES } from "../record/record.js";

export interface Line {
  /** Without its LF. Valid until the next line is asked for. */
  readonly bytes: Buffer;
  /** Byte offset of the line in the file. */
  readonly offset: number;
  /** False for bytes at the end of the file that no LF follows. */
  readonly whole: boolean;
}

const LINE_FEED = 0x0a;

/**
 * Cuts chunks into lines, in memory bounded by one chunk and one line. A line longer than a record
 * may be is handed on cut off, so that reading it fails as too long.
 */
export function* linesOf(chunks: Iterable<Buffer>): Generator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let offset = 0;
  for (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    yield* wholeLinesOf(bytes.subarray(0, end), offset);
    offset += end;
    rest = Buffer.from(bytes.subarray(end));
    if (rest.length > MAX_RECORD_BYTES) break;
  }
  if (rest.length > 0) yield { bytes: rest, offset, whole: false };
}

/** @param bytes end with the LF of their last line. */
export function* wholeLinesOf(bytes: Buffer, offset: number): Generator<Line> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    yield { bytes: bytes.subarray(start, end), offset: offset + start, whole: true };
    start = end + 1;
  }
}
