import { TarError } from "./entry.js";

export const BLOCK = 512;

/** A header block's fields, before pax records are applied. */
export interface TarHeader {
  readonly type: "file" | "directory" | "link" | "hard-link" | "device" | "pax";
  readonly path: Buffer;
  readonly target: Buffer;
  readonly size: number;
  readonly mode: number;
}

const TYPES: Readonly<Record<string, TarHeader["type"]>> = {
  "0": "file",
  "\0": "file",
  "1": "hard-link",
  "2": "link",
  "3": "device",
  "4": "device",
  "5": "directory",
  "6": "device",
  x: "pax",
};

/**
 * Parses one 512-byte header of the POSIX.1-2017 ustar format. GNU extensions (long names, sparse
 * files, base-256 numbers), global pax headers and other magics are not read: our agent writes
 * none, and guessing at them is how extractors disagree.
 *
 * @throws TarError TAR_MALFORMED
 */
export const parseTarHeader = (block: Buffer): TarHeader => {
  if (block.length !== BLOCK) throw malformed("a header is not 512 bytes");
  if (block.toString("latin1", 257, 265) !== "ustar\x0000") throw malformed("no ustar magic");
  if (octal(block, 148, 8) !== checksum(block)) throw malformed("wrong checksum");
  const type = TYPES[block.toString("latin1", 156, 157)];
  if (type === undefined) throw malformed("unknown type of entry");
  const size = octal(block, 124, 12);
  if (size !== 0 && type !== "file" && type !== "pax") throw malformed("contents without a file");
  const prefix = untilNul(block.subarray(345, 500));
  const name = untilNul(block.subarray(0, 100));
  return {
    type,
    path: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name]),
    target: untilNul(block.subarray(157, 257)),
    size,
    mode: octal(block, 100, 8),
  };
};

export const isZeroBlock = (block: Buffer): boolean => block.every((byte) => byte === 0);

/** Octal digits, then NULs or spaces. Base-256 (a set high bit) and signs are refused. */
const octal = (block: Buffer, at: number, length: number): number => {
  const text = block.toString("latin1", at, at + length);
  const digits = /^ *([0-7]{1,12})[ \0]*$/.exec(text)?.[1];
  if (digits === undefined) throw malformed("a number is not octal");
  return Number.parseInt(digits, 8);
};

const checksum = (block: Buffer): number => {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
};

/** Bytes hidden behind a NUL stay part of the name, whose check then refuses the control character. */
const untilNul = (field: Buffer): Buffer => {
  const end = field.indexOf(0);
  if (end === -1) return field;
  return field.subarray(end).every((byte) => byte === 0) ? field.subarray(0, end) : field;
};

const malformed = (why: string): TarError => new TarError("TAR_MALFORMED", why);
