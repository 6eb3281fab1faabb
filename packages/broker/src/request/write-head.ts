import { formatAuthority } from "../authority/authority.js";
import type { AbsoluteRequest, Field, Framing, ResponseHead } from "./model.js";

const HTTP_PORT = 80;
/** RFC 9110 §7.6.3: an intermediary must say that it was one. */
const VIA: Field = { name: "via", value: "1.1 drydock" };

/**
 * The head that the upstream gets: origin-form, HTTP/1.1, Host from the granted authority, framing
 * from what the broker read, and no second request on the connection.
 */
export const writeRequestHead = (
  request: Pick<AbsoluteRequest, "method" | "authority" | "path" | "query" | "fields" | "body">,
): Uint8Array => {
  const { method, authority, path, query, fields, body } = request;
  // RFC 9110 §4.2.3: the default port is left out, and some servers compare the text.
  const host = authority.port === HTTP_PORT ? authority.host : formatAuthority(authority);
  return encodeHead(`${method} ${path}${query === null ? "" : `?${query}`} HTTP/1.1`, [
    { name: "host", value: host },
    ...fields,
    VIA,
    ...framingFields(body),
    { name: "connection", value: "close" },
  ]);
};

/** The head that the client gets. `connection` says whether the broker will read another request. */
export const writeResponseHead = (
  response: Pick<ResponseHead, "status" | "phrase" | "fields" | "body">,
  connection: "close" | "keep-alive",
): Uint8Array =>
  encodeHead(`HTTP/1.1 ${response.status} ${response.phrase}`, [
    ...response.fields,
    VIA,
    ...framingFields(response.body),
    { name: "connection", value: connection },
  ]);

const framingFields = (framing: Framing): readonly Field[] => {
  switch (framing.kind) {
    case "none":
    case "until-close":
      return [];
    case "length":
      return [{ name: "content-length", value: String(framing.bytes) }];
    case "chunked":
      return [{ name: "transfer-encoding", value: "chunked" }];
  }
};

const encodeHead = (line: string, fields: readonly Field[]): Uint8Array =>
  Buffer.from(
    `${line}\r\n${fields.map(({ name, value }) => `${name}: ${value}\r\n`).join("")}\r\n`,
    "latin1",
  );

/** One chunk. Not for no bytes: those would be the last chunk (RFC 9112 §7.1). */
export const encodeChunk = (data: Uint8Array): readonly Uint8Array[] =>
  data.length === 0
    ? []
    : [Buffer.from(`${data.length.toString(16)}\r\n`, "latin1"), data, CHUNK_END];

const CHUNK_END: Uint8Array = Buffer.from("\r\n", "latin1");

/** The last chunk, and no trailer. */
export const LAST_CHUNK: Uint8Array = Buffer.from("0\r\n\r\n", "latin1");
