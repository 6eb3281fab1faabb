import { readSync } from "node:fs";

/** A file that several threads may read, each where it likes. */
export interface LogSource {
  readonly descriptor: number;
  /** When it was opened. Bytes that come later are somebody else's business. */
  readonly size: number;
}

/** Fills `buffer` from `position` on; less only at the end of the file. */
export const readFully = (source: LogSource, buffer: Buffer, position: number): Buffer => {
  const wanted = Math.min(buffer.length, source.size - position);
  let filled = 0;
  while (filled < wanted) {
    const got = readSync(source.descriptor, buffer, filled, wanted - filled, position + filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
};
