import { imageError } from "../errors.js";

/** A run of bytes that is not all zero. */
export interface Extent {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** An empty file system without its holes. */
export interface Template {
  readonly sizeBytes: number;
  readonly extents: readonly Extent[];
}

const MAGIC = "drydock.upper/v1\n";
const RECORD_BYTES = 16;

/** Magic, size, then per extent its offset, its length and its bytes; integers are big-endian. */
export const encodeTemplate = ({ sizeBytes, extents }: Template): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(sizeBytes));
  return Buffer.concat([
    Buffer.from(MAGIC),
    size,
    ...extents.flatMap(({ offset, bytes }) => {
      const record = Buffer.alloc(RECORD_BYTES);
      record.writeBigUInt64BE(BigInt(offset), 0);
      record.writeBigUInt64BE(BigInt(bytes.length), 8);
      return [record, bytes];
    }),
  ]);
};

export const decodeTemplate = (encoded: Buffer): Template => {
  const start = MAGIC.length + 8;
  if (encoded.length < start || encoded.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw imageError("IMAGE_FORMAT", "not a template of an upper disk");
  }
  const sizeBytes = Number(encoded.readBigUInt64BE(MAGIC.length));
  const extents: Extent[] = [];
  for (let at = start; at < encoded.length; ) {
    const offset = Number(encoded.readBigUInt64BE(at));
    const from = at + RECORD_BYTES;
    const length = Number(encoded.readBigUInt64BE(at + 8));
    if (from + length > encoded.length || offset + length > sizeBytes) {
      throw imageError("IMAGE_FORMAT", "a template of an upper disk has an extent outside it");
    }
    extents.push({ offset, bytes: encoded.subarray(from, from + length) });
    at = from + length;
  }
  return { sizeBytes, extents };
};
