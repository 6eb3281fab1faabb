import type { Reason } from "../decision/index.js";
import type { ClientHello } from "./hello.js";
import { Octets, OctetsError } from "./octets.js";
import { parseServerName } from "./server-name.js";

export type ParsedHello =
  | { readonly kind: "hello"; readonly hello: ClientHello }
  | { readonly kind: "refused"; readonly reason: Reason };

/** ExtensionType values of the IANA registry. */
const SERVER_NAME = 0;
const APPLICATION_PROTOCOLS = 16;
const PRE_SHARED_KEY = 41;
const EARLY_DATA = 42;

/**
 * encrypted_client_hello of RFC 9849, its drafts 8 to 13, ech_outer_extensions, which belongs
 * inside one, and the encrypted_server_name of the drafts before.
 */
const ENCRYPTED_HELLO: ReadonlySet<number> = new Set([
  0xfe0d, 0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xfd00, 0xff02, 0xff03, 0xffce,
]);

/**
 * Parses the body of a ClientHello, RFC 8446 §4.1.2, the same as that of RFC 5246 §7.4.1.2: every
 * length adds up, no extension comes twice, a pre-shared key comes last.
 */
export const parseClientHello = (body: Uint8Array): ParsedHello => {
  try {
    return parse(new Octets(body));
  } catch (error) {
    if (error instanceof OctetsError) return refused("HELLO_MALFORMED");
    throw error;
  }
};

const parse = (hello: Octets): ParsedHello => {
  const version = hello.uint16();
  // TLS 1.0 to 1.3; what supports less than that has no extensions, so no name either.
  if (version < 0x0301 || version > 0x0304) return refused("HELLO_MALFORMED");
  hello.take(32);
  hello.vector(1, 0, 32);
  if (hello.vector(2, 2, 0xfffe).length % 2 !== 0) return refused("HELLO_MALFORMED");
  hello.vector(1, 1, 0xff);
  // Before TLS 1.3 there might have been no extensions at all.
  const extensions = new Octets(hello.left === 0 ? new Uint8Array(0) : hello.vector(2, 0, 0xffff));
  hello.end();
  return readExtensions(extensions);
};

const readExtensions = (extensions: Octets): ParsedHello => {
  const seen = new Set<number>();
  let serverName: string | null = null;
  let alpn: readonly string[] | null = null;
  while (extensions.left > 0) {
    const type = extensions.uint16();
    const body = extensions.vector(2, 0, 0xffff);
    // RFC 8446 §4.2: not more than one of a type. Implementations differ on which one counts.
    if (seen.has(type)) return refused(type === SERVER_NAME ? "SNI_DUPLICATE" : "HELLO_MALFORMED");
    // RFC 8446 §4.2.11: its binders cover everything before it.
    if (seen.has(PRE_SHARED_KEY)) return refused("HELLO_MALFORMED");
    seen.add(type);
    if (type === APPLICATION_PROTOCOLS) alpn = parseProtocols(body);
    if (type !== SERVER_NAME) continue;
    const found = parseServerName(body);
    if (found.kind === "refused") return found;
    serverName = found.name;
  }
  const ech = [...seen].some((type) => ENCRYPTED_HELLO.has(type));
  return { kind: "hello", hello: { serverName, ech, earlyData: seen.has(EARLY_DATA), alpn } };
};

/** RFC 7301 §3.1: a list of names of 1 to 255 bytes; GREASE makes some of them no text. */
const parseProtocols = (body: Uint8Array): readonly string[] => {
  const extension = new Octets(body);
  const list = new Octets(extension.vector(2, 2, 0xffff));
  extension.end();
  const names: string[] = [];
  while (list.left > 0) names.push(Buffer.from(list.vector(1, 1, 0xff)).toString("latin1"));
  return names;
};

const refused = (reason: Reason): ParsedHello => ({ kind: "refused", reason });
