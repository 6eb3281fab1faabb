/**
 * Parts with their lengths before them, four bytes, big-endian: what ends one part can't begin the
 * next, so no two lists of parts have the same bytes.
 */
export const framed = (parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
