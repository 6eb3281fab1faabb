/**
 * The paths in a git index (gitformat-index(5), versions 2 to 4), or undefined when the bytes are
 * not one that lists all of them (a split index, an unknown version, damage). The result decides
 * only under which heading a file is counted, so nothing is refused here.
 */
export const parseIndexPaths = (bytes: Buffer, oidBytes: 20 | 32): Set<string> | undefined => {
  if (bytes.length < HEADER_BYTES + oidBytes) return undefined;
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const body = bytes.subarray(0, bytes.length - oidBytes);
  const count = body.readUInt32BE(8);
  const paths = new Set<string>();
  let previous: Buffer = Buffer.alloc(0);
  let total = 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index += 1) {
    const entry = parseEntry(body, at, oidBytes, version, previous);
    if (entry === undefined || entry.path.length > MAX_PATH_BYTES) return undefined;
    total += entry.path.length;
    if (total > MAX_TOTAL_BYTES) return undefined;
    // Latin-1 keeps each byte apart, so that names that are not UTF-8 stay distinct.
    paths.add(entry.path.toString("latin1"));
    previous = entry.path;
    at = entry.next;
  }
  return hasSplitIndex(body, at) ? undefined : paths;
};

/** PATH_MAX: git itself checks out nothing longer. */
const MAX_PATH_BYTES = 4096;
/** Version 4 shares prefixes, so that a small file could name quadratically many bytes. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const EXTENDED_FLAG = 0x4000;

const parseEntry = (
  body: Buffer,
  start: number,
  oidBytes: number,
  version: number,
  previous: Buffer,
): { readonly path: Buffer; readonly next: number } | undefined => {
  const flagsAt = start + STAT_BYTES + oidBytes;
  if (flagsAt + 2 > body.length) return undefined;
  const extended = (body.readUInt16BE(flagsAt) & EXTENDED_FLAG) !== 0;
  const nameAt = flagsAt + (extended ? 4 : 2);
  if (version === 4) return parseCompressedName(body, nameAt, previous);
  const end = body.indexOf(0, nameAt);
  if (end === -1) return undefined;
  // One to eight NULs, so that the entry's length is a multiple of eight.
  const next = start + (Math.floor((end - start) / 8) + 1) * 8;
  return { path: body.subarray(nameAt, end), next };
};

/** Version 4: how many bytes of the previous name to drop, then what to append. */
const parseCompressedName = (
  body: Buffer,
  start: number,
  previous: Buffer,
): { readonly path: Buffer; readonly next: number } | undefined => {
  let at = start;
  let byte = body[at];
  if (byte === undefined) return undefined;
  // The "offset encoding" of gitformat-pack(5): each continuation adds one.
  let strip = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = body[at];
    if (byte === undefined || strip > body.length) return undefined;
    strip = (strip + 1) * 128 + (byte & 0x7f);
  }
  const end = body.indexOf(0, at + 1);
  if (end === -1 || strip > previous.length) return undefined;
  const kept = previous.subarray(0, previous.length - strip);
  return { path: Buffer.concat([kept, body.subarray(at + 1, end)]), next: end + 1 };
};

const hasSplitIndex = (body: Buffer, start: number): boolean => {
  for (let at = start; at + 8 <= body.length; at += 8 + body.readUInt32BE(at + 4)) {
    if (body.toString("latin1", at, at + 4) === "link") return true;
  }
  return false;
};
