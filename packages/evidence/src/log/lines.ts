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
  // Only the line that two chunks share is copied: copying chunks costs a fifth of all reading.
  let rest: Buffer = Buffer.alloc(0);
  let restOffset = 0;
  let chunkOffset = 0;
  for (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      if (start === 0 && rest.length > 0) {
        const bytes = Buffer.concat([rest, chunk.subarray(0, end)]);
        yield { bytes, offset: restOffset, whole: true };
      } else {
        yield { bytes: chunk.subarray(start, end), offset: chunkOffset + start, whole: true };
      }
      start = end + 1;
    }
    if (start > 0 || rest.length === 0) restOffset = chunkOffset + start;
    rest = Buffer.concat(start > 0 ? [chunk.subarray(start)] : [rest, chunk]);
    chunkOffset += chunk.length;
    if (rest.length > MAX_RECORD_BYTES) break;
  }
  if (rest.length > 0) yield { bytes: rest, offset: restOffset, whole: false };
}
