import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { shape } from "@drydock/evidence";
import { vmError } from "../errors.js";

/** Guest pages: what is compared with zero and what an extent counts. */
const PAGE_BYTES = 4096;
const CHUNK_BYTES = 4 * 1024 * 1024;
const CHUNK_PAGES = CHUNK_BYTES / PAGE_BYTES;
/** A fresh guest of 1 GiB has about four thousand runs of used pages. */
const MAX_EXTENTS = 262_144;

/** Runs of pages that aren't zero, as [first page, pages], ascending. Flat, to keep it short. */
export type MemoryMap = readonly number[];

export const memoryMapReader = shape.array(shape.integer(0), MAX_EXTENTS * 2);

export interface PackedMemory {
  /** SHA-256 of the packed pages, in order. */
  readonly digest: string;
  readonly map: MemoryMap;
}

/** Copies the pages that aren't zero, one after the other. */
export const packMemory = async (
  source: string,
  target: string,
  bytes: number,
): Promise<PackedMemory> => {
  const input = await open(source, "r");
  const output = await open(target, "wx", 0o600);
  try {
    return await pack(input, output, bytes);
  } finally {
    await input.close();
    await output.close();
  }
};

const pack = async (
  input: FileHandle,
  output: FileHandle,
  bytes: number,
): Promise<PackedMemory> => {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const map: number[] = [];
  for (let offset = 0; offset < bytes; offset += CHUNK_BYTES) {
    const size = Math.min(CHUNK_BYTES, bytes - offset);
    await readFully(input, chunk.subarray(0, size), offset);
    for (const [first, pages] of usedRuns(chunk.subarray(0, size))) {
      const used = chunk.subarray(first * PAGE_BYTES, (first + pages) * PAGE_BYTES);
      hash.update(used);
      await output.write(used);
      appendRun(map, offset / PAGE_BYTES + first, pages);
    }
  }
  await output.sync();
  return { digest: `sha256:${hash.digest("hex")}`, map };
};

/**
 * Writes packed pages to where they belong, hashing exactly what is written.
 *
 * @throws DrydockError GOLDEN_CORRUPT when the bytes aren't those of `packed.digest`.
 */
export const unpackMemory = async (
  source: string,
  target: string,
  packed: PackedMemory,
): Promise<void> => {
  const input = await open(source, "r");
  const output = await open(target, "r+");
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let from = 0;
    for (let index = 0; index < packed.map.length; index += 2) {
      const [first = 0, pages = 0] = packed.map.slice(index, index + 2);
      for (let done = 0; done < pages; done += CHUNK_PAGES) {
        const piece = chunk.subarray(0, Math.min(CHUNK_PAGES, pages - done) * PAGE_BYTES);
        await readFully(input, piece, from);
        hash.update(piece);
        await output.write(piece, 0, piece.length, (first + done) * PAGE_BYTES);
        from += piece.length;
      }
    }
    if (`sha256:${hash.digest("hex")}` !== packed.digest) {
      throw vmError("GOLDEN_CORRUPT", `${source} isn't the memory that was recorded`, {
        fix: "Run `drydock image prune`; the snapshot is built again by the next run.",
      });
    }
  } finally {
    await input.close();
    await output.close();
  }
};

/** Runs of pages with anything in them: [first page, pages] within the chunk. */
export const usedRuns = (chunk: Buffer): readonly (readonly [number, number])[] => {
  const runs: [number, number][] = [];
  for (let page = 0; page * PAGE_BYTES < chunk.length; page += 1) {
    const bytes = chunk.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    if (bytes.equals(ZERO_PAGE)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === page) last[1] += 1;
    else runs.push([page, 1]);
  }
  return runs;
};

const ZERO_PAGE = Buffer.alloc(PAGE_BYTES);

const appendRun = (map: number[], first: number, pages: number): void => {
  const [lastFirst, lastPages] = [map.at(-2), map.at(-1)];
  if (lastFirst !== undefined && lastPages !== undefined && lastFirst + lastPages === first) {
    map[map.length - 1] = lastPages + pages;
  } else {
    map.push(first, pages);
  }
  if (map.length > MAX_EXTENTS * 2) {
    throw vmError("GOLDEN_BUILD", "the guest's memory is too scattered to pack");
  }
};

const readFully = async (file: FileHandle, into: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) throw vmError("GOLDEN_CORRUPT", "a golden memory file is too short");
    done += bytesRead;
  }
};
