/** A tar entry for tests: any field may be hostile, so nothing here checks anything. */
export interface TestEntry {
  readonly name: string;
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly link?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtime?: number;
  /** Overrides the size field. */
  readonly size?: number;
  /** Overrides the checksum field. */
  readonly checksum?: string;
}

const BLOCK = 512;

/** Builds an archive byte by byte, apart from the library that the tests also compare with. */
export const tarOf = (entries: readonly TestEntry[], end = true): Buffer =>
  Buffer.concat([...entries.flatMap(encode), ...(end ? [Buffer.alloc(2 * BLOCK)] : [])]);

/** A pax extended header with these records, for the entry that follows. */
export const pax = (records: Readonly<Record<string, string>>, type = "x"): TestEntry => ({
  name: "PaxHeaders/entry",
  type,
  content: Object.entries(records)
    .map(([key, value]) => paxRecord(key, value))
    .join(""),
});

const paxRecord = (key: string, value: string): string => {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${key}=${value}\n`;
};

const encode = (entry: TestEntry): Buffer[] => {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string =>
    `${value.toString(8).padStart(width - 1, "0")}\0`;
  header.write(entry.name.slice(0, 100), 0);
  header.write(octal(entry.mode ?? 0o644, 8), 100, "latin1");
  header.write(octal(entry.uid ?? 0, 8), 108, "latin1");
  header.write(octal(entry.gid ?? 0, 8), 116, "latin1");
  header.write(octal(entry.size ?? content.length, 12), 124, "latin1");
  header.write(octal(entry.mtime ?? 1_700_000_000, 12), 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write(entry.type ?? "0", 156, "latin1");
  header.write(entry.link ?? "", 157);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(entry.checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return [header, content, padding];
};
