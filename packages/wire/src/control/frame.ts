import {
  canonicalBytes,
  digestOf,
  JsonError,
  type JsonValue,
  parseCanonical,
  quote,
  ShapeError,
  shape,
} from "@drydock/evidence";
import {
  MAX_HEADER_BYTES,
  MAX_HEADER_DEPTH,
  MAX_HEADER_NODES,
  MAX_PAYLOAD_BYTES,
  WIRE_VERSION,
} from "../limits.js";
import { violated } from "../violation.js";
import { instant, sequence } from "./vocabulary.js";

const { digest, id, integer, object, pattern } = shape;

/** Readers of message bodies, by message type. */
export type Bodies = Readonly<Record<string, shape.Reader<object>>>;

/** Whose frames these are. A channel carries frames of one binding only. */
export interface Binding {
  readonly run: string;
  readonly lease: string;
  readonly generation: number;
}

/** `prev` of the first frame in a direction, which has no predecessor. */
export const NO_PREVIOUS = `sha256:${"0".repeat(64)}`;
export const PREFIX_BYTES = 4;
export const EMPTY_DIGEST: string = digestOf(new Uint8Array(0));

const anyBody: shape.Reader<JsonValue> = { schema: {}, read: (value) => value };

const HEADER = object({
  v: integer(0, 0xffff),
  run: id,
  lease: id,
  generation: integer(0, Number.MAX_SAFE_INTEGER),
  seq: sequence,
  deadline: instant,
  type: pattern(/^[a-zA-Z]{1,32}$/, "a message type"),
  body: anyBody,
  payload: object({ length: integer(0, MAX_PAYLOAD_BYTES), digest }),
  prev: digest,
});
export type Header = shape.Shape<typeof HEADER>;

/** Messages with a payload: it comes back as it went out, to measure and to prove the channel. */
const TYPES_WITH_PAYLOAD: ReadonlySet<string> = new Set(["ping", "pong"]);

/** @throws WireError header-json, header-field, unknown-version or payload-length. */
export const readHeader = (bytes: Uint8Array): Header => {
  const header = asViolation(() =>
    HEADER.read(
      parseCanonical(bytes, {
        maxBytes: MAX_HEADER_BYTES,
        maxDepth: MAX_HEADER_DEPTH,
        maxNodes: MAX_HEADER_NODES,
      }),
      "header",
    ),
  );
  if (header.v !== WIRE_VERSION) {
    throw violated("unknown-version", `version ${header.v}; this side speaks ${WIRE_VERSION}`);
  }
  if (header.payload.length > 0 && !TYPES_WITH_PAYLOAD.has(header.type)) {
    throw violated("payload-length", `${quote(header.type)} carries no payload`);
  }
  return header;
};

/** Reads a header's body as the message its type promises. @throws WireError */
export const readMessage = <M extends { readonly type: string }>(
  bodies: Bodies,
  header: Header,
): M => {
  const reader = Object.hasOwn(bodies, header.type) ? bodies[header.type] : undefined;
  if (reader === undefined) throw violated("unknown-type", quote(header.type));
  const body = asViolation(() => reader.read(header.body, header.type));
  // The table of readers is what defines M, so a body that its reader accepts is an M.
  return { ...body, type: header.type } as unknown as M;
};

const asViolation = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonError) throw violated("header-json", error.message);
    if (error instanceof ShapeError) throw violated("header-field", error.message);
    throw error;
  }
};

/** u32 header length (big-endian), header as RFC 8785 JSON, payload. */
export const encodeFrame = (header: Header, payload: Uint8Array): Buffer => {
  const text = canonicalBytes(header);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + text.length + payload.length);
  frame.writeUInt32BE(text.length, 0);
  text.copy(frame, PREFIX_BYTES);
  frame.set(payload, PREFIX_BYTES + text.length);
  return frame;
};
