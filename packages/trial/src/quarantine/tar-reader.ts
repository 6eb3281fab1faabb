import { ByteReader } from "../seal/io/byte-reader.js";
import { type TarEntry, TarError } from "./entry.js";
import { BLOCK, isZeroBlock, parseTarHeader, type TarHeader } from "./header.js";
import type { ArtifactLimits } from "./limits.js";
import { type PaxRecords, parsePaxRecords } from "./pax.js";

export interface TarMember {
  readonly entry: TarEntry;
  /** The contents. What the consumer leaves unread is skipped. */
  readonly contents: AsyncGenerator<Buffer, void, void>;
}

const NO_PAX: PaxRecords = {
  path: undefined,
  target: undefined,
  size: undefined,
  unknownKey: undefined,
};

/**
 * Reads an archive that somebody hostile wrote, one member at a time, holding one block, one pax
 * header and one chunk of contents. The stream as a whole is bounded by `streamBytes`.
 *
 * @throws TarError where the archive cannot be understood any further.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<ArtifactLimits, "streamBytes" | "paxBytes">,
): AsyncGenerator<TarMember, void, void> {
  const reader = new ByteReader(
    limited(source, limits.streamBytes),
    () => new TarError("TAR_TRUNCATED", "the archive ends inside a member"),
  );
  try {
    yield* readMembers(reader, limits.paxBytes);
  } finally {
    await reader.close();
  }
}

async function* readMembers(
  reader: ByteReader,
  paxBytes: number,
): AsyncGenerator<TarMember, void, void> {
  let pax: PaxRecords | undefined;
  for (;;) {
    const block = await reader.exactly(BLOCK);
    if (block === undefined) throw new TarError("TAR_TRUNCATED", "the archive has no end");
    if (isZeroBlock(block)) {
      if (pax !== undefined) throw new TarError("TAR_MALFORMED", "a pax header without a member");
      return requireEnd(reader);
    }
    const header = parseTarHeader(block);
    if (header.type === "pax") {
      if (pax !== undefined) throw new TarError("TAR_MALFORMED", "two pax headers for one member");
      pax = await readPax(reader, header.size, paxBytes);
      continue;
    }
    const entry = applyPax(header, header.type, pax ?? NO_PAX);
    pax = undefined;
    const end = reader.consumed + entry.size;
    yield { entry, contents: reader.take(entry.size) };
    for await (const _ of reader.take(end - reader.consumed)) {
      // Reading on is skipping: a refused member's contents go nowhere.
    }
    await reader.exactly(paddingOf(entry.size));
  }
}

const readPax = async (reader: ByteReader, size: number, limit: number): Promise<PaxRecords> => {
  if (size > limit) throw new TarError("TAR_MALFORMED", "a pax header beyond its bound");
  const body = Buffer.concat([Buffer.alloc(0), ...(await drain(reader.take(size)))]);
  await reader.exactly(paddingOf(size));
  return parsePaxRecords(body);
};

const applyPax = (header: TarHeader, type: TarEntry["type"], pax: PaxRecords): TarEntry => {
  const size = pax.size ?? header.size;
  if (size !== 0 && type !== "file") {
    throw new TarError("TAR_MALFORMED", "contents without a file");
  }
  const path = pax.path ?? header.path;
  return {
    type,
    path: type === "directory" && path.at(-1) === 0x2f ? path.subarray(0, -1) : path,
    target: pax.target ?? header.target,
    size,
    mode: header.mode,
    unknownKey: pax.unknownKey,
  };
};

/** After the first zero block there are only zeros, one whole block of them at least. */
const requireEnd = async (reader: ByteReader): Promise<void> => {
  let zeros = 0;
  for await (const chunk of reader.rest()) {
    if (!isZeroBlock(chunk)) throw new TarError("TAR_TRAILING_DATA", "bytes after the end");
    zeros += chunk.length;
  }
  if (zeros < BLOCK) throw new TarError("TAR_TRUNCATED", "the archive's end is not complete");
};

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

async function* limited(
  source: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  let passed = 0;
  for await (const chunk of source) {
    passed += chunk.length;
    if (passed > limit) throw new TarError("STREAM_LIMIT", "the archive is beyond its bound");
    yield chunk;
  }
}

const drain = async (chunks: AsyncIterable<Buffer>): Promise<Buffer[]> => {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
};
