import { MAX_RECORD_BYTES } from "../record/record.js";

export interface Line {
  /** Without its LF. Valid until the next line is asked for. */
  readonly bytes: Uint8Array;
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
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(LINE_FEED, start);
      if (end < 0) break;
      yield { bytes: bytes.subarray(start, end), offset: offset + start, whole: true };
      start = end + 1;
    }
    offset += start;
    rest = Buffer.from(bytes.subarray(start));
    if (rest.length > MAX_RECORD_BYTES) break;
  }
  if (rest.length > 0) yield { bytes: rest, offset, whole: false };
}
