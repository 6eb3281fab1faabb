import { imageError, quote } from "../errors.js";

export const TAR_BLOCK_BYTES = 512;

/** POSIX.1-2017 pax, "ustar Interchange Format": field offsets and lengths in a header block. */
const FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkname: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

const POSIX_MAGIC = "ustar\u000000";
const GNU_MAGIC = "ustar  \0";

export interface RawHeader {
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
  readonly type: string;
  readonly linkname: string;
}

/** Reads one header block; undefined for a block of zeros, which marks the archive's end. */
export const parseHeader = (block: Buffer): RawHeader | undefined => {
  if (block.every((byte) => byte === 0)) return undefined;
  checkSum(block);
  const magic = field(block, "magic").toString("latin1");
  if (magic !== POSIX_MAGIC && magic !== GNU_MAGIC) {
    throw imageError("IMAGE_FORMAT", `a tar header has the unknown magic ${quote(magic)}`);
  }
  const prefix = magic === POSIX_MAGIC ? text(block, "prefix") : "";
  const name = text(block, "name");
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    mode: number(block, "mode") & 0o7777,
    uid: number(block, "uid"),
    gid: number(block, "gid"),
    size: number(block, "size"),
    mtime: Math.max(0, number(block, "mtime")),
    type: field(block, "type").toString("latin1"),
    linkname: text(block, "linkname"),
  };
};

const field = (block: Buffer, name: keyof typeof FIELD): Buffer => {
  const [offset, length] = FIELD[name];
  return block.subarray(offset, offset + length);
};

const text = (block: Buffer, name: keyof typeof FIELD): string => {
  const bytes = field(block, name);
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString("utf8");
};

/** Octal digits, or GNU's base-256 form when the first bit is set (negative only as a time). */
const number = (block: Buffer, name: "mode" | "uid" | "gid" | "size" | "mtime"): number => {
  const bytes = field(block, name);
  const first = bytes[0] ?? 0;
  if ((first & 0x80) !== 0) {
    const unsigned = BigInt(`0x${bytes.toString("hex")}`);
    const value =
      first === 0xff
        ? BigInt.asIntN(bytes.length * 8, unsigned)
        : BigInt.asUintN(bytes.length * 8 - 1, unsigned);
    if (value > BigInt(Number.MAX_SAFE_INTEGER) || (value < 0n && name !== "mtime")) {
      throw imageError("IMAGE_FORMAT", `a tar header has the ${name} ${value}`);
    }
    return Number(value);
  }
  const digits = bytes
    .toString("latin1")
    .replace(/^ +/, "")
    .replace(/[ \0]+$/, "");
  if (digits === "") return 0;
  if (!/^[0-7]+$/.test(digits)) {
    throw imageError("IMAGE_FORMAT", `a tar header has the ${name} ${quote(digits)}`);
  }
  return Number.parseInt(digits, 8);
};

const checkSum = (block: Buffer): void => {
  const [offset, length] = FIELD.checksum;
  let sum = 0x20 * length;
  block.forEach((byte, index) => {
    if (index < offset || index >= offset + length) sum += byte;
  });
  const stored = field(block, "checksum")
    .toString("latin1")
    .replace(/[ \0]+$/, "")
    .trimStart();
  if (!/^[0-7]+$/.test(stored) || Number.parseInt(stored, 8) !== sum) {
    throw imageError("IMAGE_FORMAT", "a tar header has a wrong checksum", {
      fix: "The file is damaged, compressed, or no tar archive.",
    });
  }
};
