import type { Reason } from "../decision/index.js";
import { Octets, OctetsError } from "./octets.js";

export type ServerNameResult =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "refused"; readonly reason: Reason };

/** RFC 6066 §3: the only NameType there is. */
const HOST_NAME = 0;

/**
 * The body of a server_name extension, RFC 6066 §3: a list with exactly one host_name in it. The
 * RFC allows other types of name beside it; there are none, and servers differ on what they'd do.
 */
export const parseServerName = (body: Uint8Array): ServerNameResult => {
  const extension = new Octets(body);
  const list = new Octets(extension.vector(2, 1, 0xffff));
  extension.end();
  const names: Uint8Array[] = [];
  while (list.left > 0) {
    if (list.uint8() !== HOST_NAME) throw new OctetsError();
    names.push(list.vector(2, 1, 0xffff));
  }
  const [name] = names;
  if (name === undefined || names.length > 1) return { kind: "refused", reason: "SNI_DUPLICATE" };
  return { kind: "name", name: textOf(name) };
};

/** "Represented as a byte string using ASCII": a NUL or a space would be read in two ways. */
const textOf = (bytes: Uint8Array): string => {
  if (bytes.some((byte) => byte < 0x21 || byte > 0x7e)) throw new OctetsError();
  return Buffer.from(bytes).toString("latin1");
};
