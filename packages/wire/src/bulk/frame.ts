/** {u8 type, u32 stream, u32 length}, integers big-endian, then `length` bytes. */
export const BULK_HEADER_BYTES = 9;

export const BULK_TYPE = { OPEN: 1, DATA: 2, WINDOW: 3, FIN: 4, RST: 5 } as const;
export type BulkType = (typeof BULK_TYPE)[keyof typeof BULK_TYPE];

/** Bytes after the header of WINDOW (u32 credit) and RST (u32 reason). */
export const NUMBER_BYTES = 4;

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
