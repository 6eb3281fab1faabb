/** `malformed`: a control byte, or a line that CR LF doesn't end. */
export type HeadScan =
  | { readonly kind: "more" }
  | { readonly kind: "end"; readonly rest: Uint8Array }
  | { readonly kind: "too-large" }
  | { readonly kind: "malformed" }
  | { readonly kind: "stopped" };

const CR = 0x0d;
const LF = 0x0a;
const HTAB = 0x09;
const SP = 0x20;
const DEL = 0x7f;

/** Most request heads fit; the buffer of a line doubles from here. */
const FIRST_LINE_BYTES = 256;

/**
 * Cuts a head into its lines, each byte looked at once, so that any segmentation of the same bytes
 * gives the same lines and the same verdict at the same byte. `onLine` gets each line before the
 * empty one as one character per octet; when it answers false, the scan has stopped.
 *
 * Guard: RFC 9112 §2.2 lets a recipient take a bare LF for a line's end and a bare CR for a space.
 * Two recipients that choose differently see two messages; here both are refused, and so are NUL
 * and every other control byte (RFC 9110 §5.5).
 */
export const createHeadLines = (
  maxBytes: number,
  onLine: (line: string) => boolean,
): ((bytes: Uint8Array) => HeadScan) => {
  let line = Buffer.alloc(0);
  let lineLength = 0;
  let total = 0;
  let afterCr = false;
  let anyLine = false;

  const append = (bytes: Uint8Array): void => {
    if (lineLength + bytes.length > line.length) {
      const size = Math.max(FIRST_LINE_BYTES, line.length * 2, lineLength + bytes.length);
      const grown = Buffer.alloc(Math.min(size, maxBytes));
      line.copy(grown, 0, 0, lineLength);
      line = grown;
    }
    line.set(bytes, lineLength);
    lineLength += bytes.length;
  };

  return (bytes) => {
    // Beyond the limit nothing is looked at: the byte that fills it decides.
    const end = Math.min(bytes.length, maxBytes - total);
    let start = 0;
    for (let at = 0; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (afterCr) {
        if (byte !== LF) {
          return { kind: "malformed" };
        }
        append(bytes.subarray(start, Math.max(start, at - 1)));
        const text = line.toString("latin1", 0, lineLength);
        if (text === "" && anyLine) {
          return { kind: "end", rest: bytes.subarray(at + 1) };
        }
        anyLine = true;
        afterCr = false;
        lineLength = 0;
        start = at + 1;
        if (!onLine(text)) {
          return { kind: "stopped" };
        }
      } else if (byte === CR) {
        afterCr = true;
      } else if ((byte < SP && byte !== HTAB) || byte === DEL) {
        return { kind: "malformed" };
      }
    }
    append(bytes.subarray(start, Math.max(start, afterCr ? end - 1 : end)));
    total += end;
    return total >= maxBytes ? { kind: "too-large" } : { kind: "more" };
  };
};
