import { BLOCK, type Bytes, type Entry, padding } from "./format.js";

const TYPE = { file: "0", directory: "5", symlink: "2" } as const;

/** Largest size that eleven octal digits hold; above it the size goes into an extended header. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;

/** Header of one entry, without owner and time: equal trees give equal bytes. */
export const entryHeader = (entry: Entry): Buffer => {
  const name = entry.kind === "directory" ? `${entry.path}/` : entry.path;
  const records = [
    ...(name.length > 100 ? [paxRecord("path", name)] : []),
    ...(entry.target.length > 100 ? [paxRecord("linkpath", entry.target)] : []),
    ...(entry.size > MAX_OCTAL_SIZE ? [paxRecord("size", String(entry.size))] : []),
  ];
  const main = block(name, TYPE[entry.kind], entry.mode, entry.size, entry.target);
  if (records.length === 0) return main;
  const pax = Buffer.from(records.join(""), "latin1");
  return Buffer.concat([
    block("pax", "x", 0o644, pax.length, ""),
    pax,
    Buffer.alloc(padding(pax.length)),
    main,
  ]);
};

/** Two empty blocks. */
export const endOfArchive = (): Buffer => Buffer.alloc(2 * BLOCK);

const block = (name: Bytes, type: string, mode: number, size: number, target: Bytes): Buffer => {
  const header = Buffer.alloc(BLOCK);
  header.write(name.slice(0, 100), 0, "latin1");
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  header.write(`${octal(size > MAX_OCTAL_SIZE ? 0 : size, 11)}\0${octal(0, 11)}\0`, 124, "latin1");
  header.write("        ", 148, "latin1");
  header.write(type, 156, "latin1");
  header.write(target.slice(0, 100), 157, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  // Only what was written: the rest is zero, and adding 512 bytes in a loop is slow in a guest.
  let sum = 0;
  for (let at = 0; at < 157 + target.length || at < 265; at += 1) {
    if (header[at] === 0 && at < 100) at = 99;
    else sum += header[at] ?? 0;
  }
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
};

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

/** The length counts its own digits. */
const paxRecord = (key: string, value: Bytes): Bytes => {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length += 1;
  return `${length}${rest}`;
};
