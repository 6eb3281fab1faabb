export { type BodyReader, createBodyReader } from "./body-reader.js";
export type {
  AbsoluteRequest,
  BodyStep,
  ConnectRequest,
  Field,
  Framing,
  HeadLimits,
  HttpVersion,
  RequestStep,
  ResponseHead,
  ResponseStep,
} from "./model.js";
export { type Path, readPath } from "./path.js";
export { createRequestReader, type RequestReader } from "./request-reader.js";
export { createResponseReader, type ResponseReader } from "./response-reader.js";
export { encodeChunk, LAST_CHUNK, writeRequestHead, writeResponseHead } from "./write-head.js";
