import { BLOCK, type Bytes, type Entry, padding, unsafe } from "./format.js";

export interface TarSink {
  begin(entry: Entry): void;
  data(bytes: Buffer): void;
  finish(): void;
}

/** Extended headers hold names; anything longer is an attack. */
const MAX_PAX_BYTES = 64 * 1024;

/**
 * Reads a tar stream as it comes, without holding any file in memory. Knows files, directories
 * and symbolic links; everything else is refused.
 */
export class TarReader {
  readonly #sink: TarSink;
  readonly #block = Buffer.alloc(BLOCK);
  #blockLength = 0;
  #rest = 0;
  #padding = 0;
  #into: "sink" | "pax" | "ignored" = "ignored";
  #pax: Buffer[] = [];
  #overrides = new Map<string, Bytes>();
  #zeroBlocks = 0;

  constructor(sink: TarSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#rest > 0) at += this.#content(bytes.subarray(at, at + this.#rest));
      else if (this.#padding > 0) at += this.#skip(bytes.length - at);
      else at += this.#collect(bytes, at);
    }
  }

  end(): void {
    if (this.#rest > 0 || this.#padding > 0 || this.#blockLength > 0 || this.#zeroBlocks < 2) {
      throw unsafe("archive ends early");
    }
  }

  #content(piece: Buffer): number {
    if (this.#into === "sink") this.#sink.data(piece);
    // Copied: a view would be overwritten by nobody, but would pin the whole chunk.
    if (this.#into === "pax") this.#pax.push(Buffer.from(piece));
    this.#rest -= piece.length;
    if (this.#rest === 0) this.#contentEnded();
    return piece.length;
  }

  #contentEnded(): void {
    if (this.#into === "sink") this.#sink.finish();
    if (this.#into === "pax") this.#overrides = readPax(Buffer.concat(this.#pax));
    this.#pax = [];
  }

  #skip(available: number): number {
    const skipped = Math.min(available, this.#padding);
    this.#padding -= skipped;
    return skipped;
  }

  #collect(bytes: Buffer, at: number): number {
    if (this.#blockLength === 0 && bytes.length - at >= BLOCK) {
      this.#header(bytes.subarray(at, at + BLOCK));
      return BLOCK;
    }
    const copied = bytes.copy(this.#block, this.#blockLength, at, at + BLOCK - this.#blockLength);
    this.#blockLength += copied;
    if (this.#blockLength === BLOCK) {
      this.#blockLength = 0;
      this.#header(this.#block);
    }
    return copied;
  }

  #header(block: Buffer): void {
    // No entry starts with an empty name, so one byte tells an end mark.
    if (block[0] === 0) {
      this.#zeroBlocks += 1;
      return;
    }
    if (this.#zeroBlocks > 0) throw unsafe("entry after the end mark");
    // The checksum is left alone: the channel doesn't lose bytes, and summing 512 of them for
    // each file is most of the work in an emulated guest.
    if (block.toString("latin1", 257, 262) !== "ustar") throw unsafe("not a POSIX tar header");
    const type = String.fromCharCode(block[156] ?? 0);
    const size = octal(block, 124, 12);
    switch (type) {
      case "x":
      case "g":
        if (size > MAX_PAX_BYTES) throw unsafe("extended header too long");
        // Global headers carry comments (git archive); nothing here may depend on them.
        this.#start(size, type === "x" ? "pax" : "ignored");
        return;
      case "0":
      case "\0":
        this.#entry(block, "file", Number(this.#overrides.get("size") ?? size));
        return;
      case "5":
        this.#entry(block, "directory", 0);
        return;
      case "2":
        this.#entry(block, "symlink", 0);
        return;
      default:
        throw unsafe(`entry of type ${JSON.stringify(type)}`);
    }
  }

  #entry(block: Buffer, kind: Entry["kind"], size: number): void {
    if (!Number.isSafeInteger(size) || size < 0) throw unsafe("size");
    const prefix = field(block, 345, 155);
    const name = field(block, 0, 100);
    const path = this.#overrides.get("path") ?? (prefix === "" ? name : `${prefix}/${name}`);
    const target = this.#overrides.get("linkpath") ?? field(block, 157, 100);
    this.#overrides = new Map();
    const mode = octal(block, 100, 8);
    this.#sink.begin({ path, kind, mode, size, target: kind === "symlink" ? target : "" });
    this.#start(size, "sink");
    if (size === 0) this.#sink.finish();
  }

  #start(size: number, into: "sink" | "pax" | "ignored"): void {
    this.#into = into;
    this.#rest = size;
    this.#padding = padding(size);
  }
}

/** Text up to a NUL. Built-in searches, since loops over bytes are slow where nothing compiles. */
const field = (block: Buffer, at: number, length: number): Bytes => {
  const end = block.indexOf(0, at);
  return block.toString("latin1", at, end < 0 ? at + length : Math.min(end, at + length));
};

const octal = (block: Buffer, at: number, length: number): number => {
  const digits = field(block, at, length).trim();
  if (!/^[0-7]{0,12}$/.test(digits)) throw unsafe("number in a header");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
};

/** Records "LENGTH KEY=VALUE\n", where LENGTH counts the whole record. */
const readPax = (bytes: Buffer): Map<string, Bytes> => {
  const records = new Map<string, Bytes>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(bytes.toString("latin1", at, space));
    const end = at + length;
    if (!Number.isSafeInteger(length) || end > bytes.length || end <= space + 1) {
      throw unsafe("extended header");
    }
    const record = bytes.toString("latin1", space + 1, end);
    const equals = record.indexOf("=");
    if (equals < 1 || !record.endsWith("\n")) throw unsafe("extended header");
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    at = end;
  }
  return records;
};
