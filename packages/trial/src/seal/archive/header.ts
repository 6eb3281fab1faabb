import type { ArchiveEntry } from "./entry.js";

export const BLOCK = 512;

/** POSIX.1-2017 pax, "ustar Interchange Format": fields by offset and length. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  typeflag: [156, 1],
  linkname: [157, 100],
  magic: [257, 8],
  devmajor: [329, 8],
  devminor: [337, 8],
  prefix: [345, 155],
} as const;

/** Largest number that eleven octal digits hold; sizes are bounded far below it. */
export const LARGEST_OCTAL = 8 ** 11 - 1;

/**
 * The header blocks of one member: ustar where it fits, preceded by a pax header with `path` or
 * `linkpath` where it does not. The bytes depend on the arguments only.
 */
export const tarHeader = (entry: ArchiveEntry, time: number): Buffer => {
  const path = entry.kind === "directory" ? `${entry.path}/` : entry.path;
  const target = entry.kind === "link" ? entry.target : "";
  const split = splitPath(path);
  const records = [
    ...(split === undefined ? [paxRecord("path", path)] : []),
    ...(fits(target, FIELDS.linkname[1]) ? [] : [paxRecord("linkpath", target)]),
  ];
  const main = block({
    name: split?.name ?? "pax-path",
    prefix: split?.prefix ?? "",
    mode: entry.kind === "link" ? 0o777 : isExecutable(entry) ? 0o755 : 0o644,
    size: entry.kind === "file" ? entry.size : 0,
    time,
    type: entry.kind === "file" ? "0" : entry.kind === "link" ? "2" : "5",
    target: fits(target, FIELDS.linkname[1]) ? target : "pax-linkpath",
  });
  if (records.length === 0) return main;
  const body = Buffer.concat(records);
  const pax = block({
    name: "pax-header",
    prefix: "",
    mode: 0o644,
    size: body.length,
    time,
    type: "x",
    target: "",
  });
  return Buffer.concat([pax, body, padding(body.length), main]);
};

/** Zeros up to the next block boundary after `size` bytes. */
export const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The two zero blocks that end an archive. */
export const END_OF_ARCHIVE: Buffer = Buffer.alloc(2 * BLOCK);

const isExecutable = (entry: ArchiveEntry): boolean =>
  entry.kind === "directory" || (entry.kind === "file" && entry.executable);

const fits = (text: string, bytes: number): boolean =>
  Buffer.byteLength(text) <= bytes && /^[\x20-\x7e]*$/.test(text);

/** ustar joins prefix and name with "/"; pick the first place where both halves fit. */
const splitPath = (path: string): { name: string; prefix: string } | undefined => {
  if (fits(path, FIELDS.name[1])) return { name: path, prefix: "" };
  if (!fits(path, FIELDS.name[1] + 1 + FIELDS.prefix[1])) return undefined;
  const at = path.indexOf("/", path.length - FIELDS.name[1] - 1);
  if (at <= 0 || at > FIELDS.prefix[1] || at === path.length - 1) return undefined;
  return { prefix: path.slice(0, at), name: path.slice(at + 1) };
};

/** "LENGTH key=value\n", where LENGTH counts itself. */
const paxRecord = (key: string, value: string): Buffer => {
  const body = Buffer.byteLength(` ${key}=${value}\n`);
  let length = body + String(body).length;
  if (body + String(length).length !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
};

interface Fields {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly size: number;
  readonly time: number;
  readonly type: string;
  readonly target: string;
}

const block = (fields: Fields): Buffer => {
  const bytes = Buffer.alloc(BLOCK);
  const text = ([at, length]: readonly [number, number], value: string): void => {
    bytes.write(value, at, length, "latin1");
  };
  const octal = ([at, length]: readonly [number, number], value: number): void => {
    bytes.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length, "latin1");
  };
  text(FIELDS.name, fields.name);
  text(FIELDS.prefix, fields.prefix);
  octal(FIELDS.mode, fields.mode);
  octal(FIELDS.uid, 0);
  octal(FIELDS.gid, 0);
  octal(FIELDS.size, fields.size);
  octal(FIELDS.mtime, fields.time);
  text(FIELDS.typeflag, fields.type);
  text(FIELDS.linkname, fields.target);
  text(FIELDS.magic, "ustar\u000000");
  octal(FIELDS.devmajor, 0);
  octal(FIELDS.devminor, 0);
  // The checksum is computed with its own field full of spaces.
  bytes.fill(0x20, FIELDS.checksum[0], FIELDS.checksum[0] + FIELDS.checksum[1]);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  text(FIELDS.checksum, `${sum.toString(8).padStart(6, "0")}\0 `);
  return bytes;
};
