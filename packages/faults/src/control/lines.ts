import type { Readable } from "node:stream";
import { MAX_LINE_BYTES } from "./protocol.js";

const LF = 0x0a;

/** Calls back for each line of a stream; a line that is too long is an error, not a longer one. */
export const readLines = (
  stream: Readable,
  onLine: (line: Buffer) => void,
  onTooLong: () => void,
): void => {
  let held: Buffer[] = [];
  let length = 0;
  let over = false;
  stream.on("data", (chunk: Buffer) => {
    let rest = chunk;
    while (!over) {
      const end = rest.indexOf(LF);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      length += piece.length;
      if (length > MAX_LINE_BYTES) {
        over = true;
        held = [];
        onTooLong();
        return;
      }
      held.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(held);
      held = [];
      length = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
  });
};
