import type { Readable } from "node:stream";
import { DrydockError } from "@drydock/evidence";

const LF = 0x0a;

/** Up to a configuration of some hundred objects, and far more than any report. */
export const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Lines of a stream until it ends. What comes after the last line feed was cut off, and isn't one.
 *
 * @throws DrydockError LAB_LINE for one of more than MAX_LINE_BYTES
 */
export async function* linesOf(stream: Readable): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held = Buffer.concat([held, chunk]);
    for (let end = held.indexOf(LF); end !== -1; end = held.indexOf(LF)) {
      yield bounded(held.subarray(0, end));
      held = held.subarray(end + 1);
    }
    bounded(held);
  }
}

const bounded = (line: Buffer): Buffer => {
  if (line.length <= MAX_LINE_BYTES) return line;
  throw new DrydockError(
    "LAB_LINE",
    `a process of the lab wrote more than ${MAX_LINE_BYTES} bytes`,
  );
};
