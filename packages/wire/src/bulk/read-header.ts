import { MAX_BULK_FRAME_BYTES, STREAM_CREDIT_BYTES } from "../limits.js";
import { violated } from "../violation.js";
import { BULK_TYPE, type BulkType, NUMBER_BYTES } from "./frame.js";

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
