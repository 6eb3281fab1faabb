import type { Reason } from "../../../decision/index.js";
import type { Expectation, Reach } from "./model.js";
import { type BrokerTechnique, granted, requestFor } from "./request.js";

/** One request, or answer to one, that two parsers would read in two ways, or that isn't brokered. */
export interface HeadCell {
  readonly technique: BrokerTechnique;
  readonly name: string;
  readonly octets: string;
  readonly expected: Expectation;
  /** What no server may be sent, though the request is granted. */
  readonly unseen?: RegExp;
  /** What the web server answers. */
  readonly webSays?: string;
}

const AT = { connect: granted("connect"), absolute: granted("absolute") } as const;
const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: web.example.com\r\n\r\n";

const withFields = (technique: BrokerTechnique, ...fields: readonly string[]): string =>
  requestFor(technique, AT[technique], fields);

/** A head with its line replaced. */
const withLine = (technique: BrokerTechnique, line: string): string =>
  withFields(technique).replace(/^.*/, line);

const post = (fields: readonly string[], content: string): string =>
  `${withFields("absolute", ...fields).replace("GET", "POST")}${content}`;

const refused = (
  technique: BrokerTechnique,
  name: string,
  octets: string,
  reason: Reason,
  reach: Reach = "nothing",
): HeadCell => ({ technique, name, octets, expected: { reason, reach } });

const passed = (name: string, octets: string, unseen: RegExp): HeadCell => ({
  technique: "absolute",
  name,
  octets,
  expected: { reason: null, reach: "service" },
  unseen,
});

const answered = (name: string, webSays: string): HeadCell => ({
  technique: "absolute",
  name,
  octets: withFields("absolute"),
  expected: { reason: "RESPONSE_SYNTAX", reach: "service" },
  webSays,
});

/** What both forms have in common. */
const inBoth = (technique: BrokerTechnique): readonly HeadCell[] => {
  const usual = withFields(technique);
  const cell = (name: string, octets: string, reason: Reason) =>
    refused(technique, name, octets, reason);
  return [
    cell("two Hosts", withFields(technique, `Host: ${AT[technique]}`), "REQUEST_SYNTAX"),
    cell("another Host", usual.replace(/Host: .*/, "Host: evil.example"), "HOST_DIFFERENT"),
    cell("an address as Host", usual.replace(/Host: .*/, "Host: 127.0.0.1"), "HOST_DIFFERENT"),
    cell("a folded field", withFields(technique, "X: a", " b: c"), "REQUEST_SYNTAX"),
    cell("white space before a colon", withFields(technique, "X : a"), "REQUEST_SYNTAX"),
    cell("a field without a name", withFields(technique, ": a"), "REQUEST_SYNTAX"),
    cell("a bare LF", usual.replaceAll("\r\n", "\n"), "REQUEST_SYNTAX"),
    cell("a bare CR in a field", withFields(technique, "X: a\rb"), "REQUEST_SYNTAX"),
    cell("a NUL in a field", withFields(technique, "X: a\0b"), "REQUEST_SYNTAX"),
    cell("an empty line first", `\r\n${usual}`, "REQUEST_SYNTAX"),
    cell("two spaces", usual.replace(" ", "  "), "REQUEST_SYNTAX"),
    cell("tabs for spaces", usual.replace(" ", "\t"), "REQUEST_SYNTAX"),
    cell("no version", usual.replace(" HTTP/1.1", ""), "REQUEST_VERSION"),
    cell("another version", usual.replace("HTTP/1.1", "HTTP/1.2"), "REQUEST_VERSION"),
    cell("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "REQUEST_VERSION"),
    cell(
      "both lengths",
      withFields(technique, "Content-Length: 4", "Transfer-Encoding: chunked"),
      "FRAMING",
    ),
    cell("two lengths", withFields(technique, "Content-Length: 0", "Content-Length: 4"), "FRAMING"),
    cell(
      "one length twice",
      withFields(technique, "Content-Length: 4", "Content-Length: 4"),
      "FRAMING",
    ),
    cell("a list of lengths", withFields(technique, "Content-Length: 0, 0"), "FRAMING"),
    cell("a length with a sign", withFields(technique, "Content-Length: +0"), "FRAMING"),
    cell("a hexadecimal length", withFields(technique, "Content-Length: 0x0"), "FRAMING"),
    cell(
      "a coding besides chunked",
      withFields(technique, "Transfer-Encoding: gzip, chunked"),
      "FRAMING",
    ),
    cell("chunked twice", withFields(technique, "Transfer-Encoding: chunked, chunked"), "FRAMING"),
    cell("an unknown coding", withFields(technique, "Transfer-Encoding: xchunked"), "FRAMING"),
    cell("a Connection that takes Host away", withFields(technique, "Connection: host"), "FRAMING"),
    cell(
      "a Connection that takes the length away",
      withFields(technique, "Connection: content-length"),
      "FRAMING",
    ),
    cell(
      "a head beyond the limit",
      withFields(technique, `X: ${"x".repeat(16_384)}`),
      "HEADER_TOO_LARGE",
    ),
  ];
};

export const HEAD_CELLS: readonly HeadCell[] = [
  ...inBoth("connect"),
  ...inBoth("absolute"),

  refused("connect", "lower case", withLine("connect", `connect ${AT.connect} HTTP/1.1`), "METHOD"),
  refused(
    "connect",
    "a URL as target",
    withLine("connect", `CONNECT http://${AT.connect}/ HTTP/1.1`),
    "URL",
  ),
  refused(
    "connect",
    "what is granted for requests only",
    requestFor("connect", AT.absolute),
    "PROTOCOL_NOT_GRANTED",
  ),
  refused("connect", "an announced content", withFields("connect", "Content-Length: 0"), "FRAMING"),
  refused(
    "connect",
    "chunked content",
    withFields("connect", "Transfer-Encoding: chunked"),
    "FRAMING",
  ),
  refused("connect", "SOCKS 5", "\x05\x01\0\r\n\r\n", "REQUEST_SYNTAX"),
  refused("connect", "SOCKS 4", "\x04\x01\x01\xbb\x08\x08\x08\x08\0\r\n\r\n", "REQUEST_SYNTAX"),
  refused("connect", "a ClientHello", "\x16\x03\x01\x02\0\x01\r\n\r\n", "REQUEST_SYNTAX"),
  refused(
    "connect",
    "the PROXY protocol",
    "PROXY TCP4 1.1.1.1 8.8.8.8 1 53\r\n\r\n",
    "REQUEST_SYNTAX",
  ),

  refused("absolute", "origin-form", withLine("absolute", "GET / HTTP/1.1"), "METHOD"),
  refused("absolute", "asterisk-form", withLine("absolute", "OPTIONS * HTTP/1.1"), "METHOD"),
  refused(
    "absolute",
    "TRACE",
    withLine("absolute", `TRACE http://${AT.absolute}/ HTTP/1.1`),
    "METHOD",
  ),
  refused(
    "absolute",
    "a method of nobody",
    withLine("absolute", `TUNNEL http://${AT.absolute}/ HTTP/1.1`),
    "METHOD",
  ),
  refused(
    "absolute",
    "https",
    withLine("absolute", `GET https://${AT.absolute}/ HTTP/1.1`),
    "METHOD",
  ),
  refused("absolute", "ftp", withLine("absolute", `GET ftp://${AT.absolute}/ HTTP/1.1`), "METHOD"),
  refused("absolute", "file", withLine("absolute", "GET file:///etc/passwd HTTP/1.1"), "METHOD"),
  refused(
    "absolute",
    "a scheme without slashes",
    withLine("absolute", `GET http:${AT.absolute}/ HTTP/1.1`),
    "METHOD",
  ),
  refused(
    "absolute",
    "what is granted for tunnels only",
    requestFor("absolute", AT.connect),
    "PROTOCOL_NOT_GRANTED",
  ),
  refused("absolute", "no Host", `GET http://${AT.absolute}/ HTTP/1.1\r\n\r\n`, "REQUEST_SYNTAX"),
  refused(
    "absolute",
    "content of a GET",
    `${withFields("absolute", "Content-Length: 4")}body`,
    "FRAMING",
  ),
  refused(
    "absolute",
    "a coding in HTTP/1.0",
    withFields("absolute", "Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0"),
    "FRAMING",
  ),
  refused(
    "absolute",
    "an unknown expectation",
    withFields("absolute", "Expect: 200-maybe"),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "a dot segment",
    withLine("absolute", `GET http://${AT.absolute}/a/../b HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "an escaped dot segment",
    withLine("absolute", `GET http://${AT.absolute}/a/%2e%2E/b HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "an escaped slash and dots",
    withLine("absolute", `GET http://${AT.absolute}/a/..%2fb HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "a broken escape",
    withLine("absolute", `GET http://${AT.absolute}/%zz HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "a fragment",
    withLine("absolute", `GET http://${AT.absolute}/#x HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "a path that no rule has",
    withLine("absolute", `GET http://${AT.absolute}/private HTTP/1.1`),
    "RULE_NOT_GRANTED",
  ),
  refused(
    "absolute",
    "a method that no rule has",
    withLine("absolute", `DELETE http://${AT.absolute}/ HTTP/1.1`),
    "RULE_NOT_GRANTED",
  ),
  refused(
    "absolute",
    "a path within a rule's, by an escape",
    withLine("absolute", `GET http://${AT.absolute}/public/%2e%2e%2fprivate HTTP/1.1`),
    "REQUEST_SYNTAX",
  ),
  refused(
    "absolute",
    "a path within a rule's, doubly escaped",
    withLine("absolute", `GET http://${AT.absolute}/public/%252e%252e/private HTTP/1.1`),
    "PATH_AMBIGUOUS",
  ),
  refused(
    "absolute",
    "a path within a rule's, with two slashes",
    withLine("absolute", `GET http://${AT.absolute}/public//private HTTP/1.1`),
    "PATH_AMBIGUOUS",
  ),
  {
    ...refused(
      "absolute",
      "a chunk size with a bare LF",
      post(["Transfer-Encoding: chunked"], `0\n\n${SMUGGLED}`),
      "FRAMING",
      "handshake",
    ),
    unseen: /smuggled/,
  },
  {
    ...refused(
      "absolute",
      "a chunk size with a sign",
      post(["Transfer-Encoding: chunked"], `-1\r\n\r\n${SMUGGLED}`),
      "FRAMING",
      "handshake",
    ),
    unseen: /smuggled/,
  },
  {
    ...refused(
      "absolute",
      "a chunk that ends elsewhere",
      post(["Transfer-Encoding: chunked"], `1\r\nabc\r\n${SMUGGLED}`),
      "FRAMING",
      "handshake",
    ),
    unseen: /smuggled/,
  },

  passed(
    "credentials for the broker",
    withFields("absolute", "Proxy-Authorization: Basic c2VjcmV0"),
    /authorization|c2VjcmV0/i,
  ),
  passed(
    "an upgrade",
    withFields("absolute", "Connection: upgrade", "Upgrade: websocket"),
    /upgrade|websocket/i,
  ),
  passed(
    "an upgrade to h2c",
    withFields(
      "absolute",
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABk",
    ),
    /h2c|http2/i,
  ),
  passed(
    "what Connection names",
    withFields("absolute", "Connection: X-Hop", "X-Hop: only-here"),
    /x-hop|only-here/i,
  ),
  passed("trailers", withFields("absolute", "TE: trailers", "Trailer: X"), /trailer/i),

  answered(
    "an answer that switches protocols",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
  ),
  answered(
    "an answer with both lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ),
  answered(
    "an answer with two lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 0\r\n\r\nbody",
  ),
  answered(
    "an answer with a folded field",
    "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
  ),
  answered("an answer with bare LFs", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"),
  answered("an answer in another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
];
