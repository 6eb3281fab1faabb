export { type BodyReader, createBodyReader } from "./body-reader.js";
export type {
  AbsoluteRequest,
  BodyStep,
  ConnectRequest,
  Framing,
  HeadLimits,
  ResponseHead,
} from "./model.js";
export { createRequestReader } from "./request-reader.js";
export { createResponseReader } from "./response-reader.js";
export { encodeChunk, LAST_CHUNK, writeRequestHead, writeResponseHead } from "./write-head.js";
