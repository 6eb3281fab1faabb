import type { Http2Stream } from "node:http2";
import type { Transform } from "node:stream";

/**
 * Carries one direction of an HTTP/2 stream through an inspection to another. Node ends a stream's
 * readable side also when it was reset, so the end goes on only when it was one: what was broken
 * off must not look complete (RFC 9113 §8.1). Only a reset that says NO_ERROR can't be told from it.
 *
 * Not `pipeline`: it destroys the other stream, and a reset that still waits to be sent is lost.
 */
export const carry = (from: Http2Stream, inspection: Transform, to: Http2Stream): void => {
  from.pipe(inspection, { end: false });
  from.once("end", () => {
    if (!from.aborted && (from.rstCode ?? 0) === 0) inspection.end();
  });
  inspection.pipe(to);
};
