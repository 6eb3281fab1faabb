import type { Reason } from "../../../decision/index.js";
import {
  clientHello,
  filler,
  keyShare,
  nameEntry,
  serverHello,
  serverName,
  sni,
} from "../../../hello/testing/build-hello.js";
import { TLS } from "../places.js";
import type { Expectation } from "./model.js";

/** The first bytes in a tunnel that was granted for TLS. */
export interface HelloCell {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: Expectation;
  /** The client ends behind them. */
  readonly ends?: true;
  /** The server asks for a second hello. */
  readonly retry?: true;
  readonly unseen?: RegExp;
}

const OTHER = "other.example.com";
const named = (name: string): Buffer => clientHello({ extensions: [sni(name)] });
const HELLO = named(TLS.host);

const refused = (name: string, bytes: Buffer, reason: Reason): HelloCell => ({
  name,
  bytes,
  // A connection with the upstream there was before: it gets no byte.
  expected: { reason, reach: "handshake" },
});

const bound = (name: string, bytes: Buffer): HelloCell => ({
  name,
  bytes,
  expected: { reason: null, reach: "service" },
});

export const HELLO_CELLS: readonly HelloCell[] = [
  bound("the granted name", HELLO),
  bound("in capitals", named(TLS.host.toUpperCase())),
  bound("in many records", clientHello({ extensions: [sni(TLS.host)] }, Array(600).fill(20))),
  bound(
    "behind a post-quantum key share",
    clientHello({ extensions: [keyShare(), sni(TLS.host)] }),
  ),
  refused("another name", named(OTHER), "SNI_DIFFERENT"),
  refused("a subdomain", named(`x.${TLS.host}`), "SNI_DIFFERENT"),
  refused("the parent", named("example.com"), "SNI_DIFFERENT"),
  refused("a final dot", named(`${TLS.host}.`), "SNI_DIFFERENT"),
  refused("an address", named("127.0.0.1"), "SNI_DIFFERENT"),
  refused("the name with a port", named(`${TLS.host}:${TLS.port}`), "SNI_DIFFERENT"),
  refused("a percent escape", named(TLS.host.replace(".", "%2e")), "SNI_DIFFERENT"),
  refused("a NUL", named(`${TLS.host}\0.evil.example`), "HELLO_MALFORMED"),
  refused("an empty name", named(""), "HELLO_MALFORMED"),
  refused("no name", clientHello({ extensions: [keyShare()] }), "SNI_ABSENT"),
  refused("no extensions", clientHello({ extensions: null }), "SNI_ABSENT"),
  refused(
    "two names",
    clientHello({ extensions: [serverName(nameEntry(TLS.host), nameEntry(OTHER))] }),
    "SNI_DUPLICATE",
  ),
  refused(
    "two extensions of names",
    clientHello({ extensions: [sni(TLS.host), sni(OTHER)] }),
    "SNI_DUPLICATE",
  ),
  refused(
    "another type of name",
    clientHello({ extensions: [serverName(nameEntry(TLS.host, 1))] }),
    "HELLO_MALFORMED",
  ),
  refused(
    "another name, in many records",
    clientHello({ extensions: [sni(OTHER)] }, Array(600).fill(20)),
    "SNI_DIFFERENT",
  ),
  refused(
    "another name behind a post-quantum key share",
    clientHello({ extensions: [keyShare(), sni(OTHER)] }),
    "SNI_DIFFERENT",
  ),
  refused(
    "an encrypted hello",
    clientHello({ extensions: [filler(0xfe0d, 200), sni(TLS.host)] }),
    "ECH",
  ),
  refused("bytes behind its end", clientHello({ after: [1, 2, 3] }), "HELLO_MALFORMED"),
  refused(
    "a hello beyond the limit",
    clientHello({ extensions: Array.from({ length: 8 }, (_, at) => filler(0x1a1a + at, 16_000)) }),
    "HELLO_TOO_LARGE",
  ),
  { ...refused("half a hello", HELLO.subarray(0, 60), "HELLO_MALFORMED"), ends: true },
  refused("a ServerHello", serverHello(false), "HELLO_NOT_TLS"),
  refused("a TLS alert", Buffer.from([21, 3, 3, 0, 2, 1, 0]), "HELLO_NOT_TLS"),
  refused("application data", Buffer.from([23, 3, 3, 0, 4, 1, 2, 3, 4]), "HELLO_NOT_TLS"),
  refused(
    "SSL 2",
    Buffer.from([0x80, 0x2e, 1, 3, 1, 0, 0x15, 0, 0, 0, 0x10, 1, 0, 0x80]),
    "HELLO_NOT_TLS",
  ),
  refused("HTTP", Buffer.from(`GET / HTTP/1.1\r\nHost: ${TLS.host}\r\n\r\n`), "HELLO_NOT_TLS"),
  refused(
    "a CONNECT in the tunnel",
    Buffer.from(`CONNECT ${OTHER}:443 HTTP/1.1\r\n\r\n`),
    "HELLO_NOT_TLS",
  ),
  refused("SSH", Buffer.from("SSH-2.0-client\r\n"), "HELLO_NOT_TLS"),
  refused(
    "DNS over TCP",
    Buffer.from([0, 29, 1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7]),
    "HELLO_NOT_TLS",
  ),
  {
    name: "a second hello with another name",
    bytes: Buffer.concat([HELLO, named(OTHER)]),
    retry: true,
    unseen: /other\.example/,
    expected: { reason: "SNI_DIFFERENT", reach: "service" },
  },
  {
    name: "a second hello with the same name",
    bytes: Buffer.concat([HELLO, HELLO]),
    retry: true,
    expected: { reason: null, reach: "service" },
  },
];

/** What a server answers that takes the first hello, and one that wants another key share. */
export const TAKEN = serverHello(false);
export const RETRY = serverHello(true);
