import { MAX_BULK_FRAME_BYTES, STREAM_CREDIT_BYTES } from "../limits.js";
import { violated } from "../violation.js";

/** {u8 type, u32 stream, u32 length}, integers big-endian, then `length` bytes. */
export const BULK_HEADER_BYTES = 9;

export const BULK_TYPE = { OPEN: 1, DATA: 2, WINDOW: 3, FIN: 4, RST: 5 } as const;
export type BulkType = (typeof BULK_TYPE)[keyof typeof BULK_TYPE];

/** Bytes after the header of WINDOW (u32 credit) and RST (u32 reason). */
const NUMBER_BYTES = 4;

export interface BulkHeader {
  readonly type: BulkType;
  readonly stream: number;
  readonly length: number;
}

/** A guard: what the rest of a frame may be is decided by its header alone. @throws WireError */
export const readBulkHeader = (bytes: Buffer): BulkHeader => {
  const type = bytes.readUInt8(0);
  const stream = bytes.readUInt32BE(1);
  const length = bytes.readUInt32BE(5);
  if (stream === 0) throw violated("unknown-stream", "stream 0");
  switch (type) {
    case BULK_TYPE.DATA:
      if (length < 1 || length > MAX_BULK_FRAME_BYTES) {
        throw violated("bulk-length", `DATA of ${length} bytes, at most ${MAX_BULK_FRAME_BYTES}`);
      }
      return { type, stream, length };
    case BULK_TYPE.OPEN:
    case BULK_TYPE.FIN:
      if (length !== 0) throw violated("bulk-length", `type ${type} with ${length} bytes`);
      return { type, stream, length };
    case BULK_TYPE.WINDOW:
    case BULK_TYPE.RST:
      if (length !== NUMBER_BYTES) throw violated("bulk-length", `type ${type}, ${length} bytes`);
      return { type, stream, length };
    default:
      throw violated("bulk-type", `type ${type}`);
  }
};

/** A grant is never empty and never above the whole window. @throws WireError */
export const readCredit = (bytes: Buffer): number => {
  const credit = bytes.readUInt32BE(0);
  if (credit < 1 || credit > STREAM_CREDIT_BYTES) {
    throw violated("window-overflow", `grant of ${credit} bytes`);
  }
  return credit;
};

export const dataHeader = (stream: number, length: number): Buffer =>
  header(BULK_TYPE.DATA, stream, length, 0);

export const openFrame = (stream: number): Buffer => header(BULK_TYPE.OPEN, stream, 0, 0);
export const finFrame = (stream: number): Buffer => header(BULK_TYPE.FIN, stream, 0, 0);

export const windowFrame = (stream: number, credit: number): Buffer =>
  numbered(BULK_TYPE.WINDOW, stream, credit);
export const rstFrame = (stream: number, reason: number): Buffer =>
  numbered(BULK_TYPE.RST, stream, reason);

const numbered = (type: BulkType, stream: number, value: number): Buffer => {
  const frame = header(type, stream, NUMBER_BYTES, NUMBER_BYTES);
  frame.writeUInt32BE(value, BULK_HEADER_BYTES);
  return frame;
};

const header = (type: BulkType, stream: number, length: number, extra: number): Buffer => {
  const frame = Buffer.allocUnsafe(BULK_HEADER_BYTES + extra);
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(stream, 1);
  frame.writeUInt32BE(length, 5);
  return frame;
};
