import type { Reason } from "../decision/reason.js";
import { idnaKeeps } from "./idna.js";

export type HostResult =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "refused"; readonly reason: Reason };

/** RFC 1035 §2.3.4: 255 octets on the wire, of which length octets and root take two. */
const MAX_NAME_LENGTH = 253;
/** RFC 1035 §2.3.1 with RFC 1123 §2.1: letters, digits, inner hyphens, 1 to 63 of them. */
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The WHATWG URL parser takes a name with such a last label for an IPv4 address, or fails. */
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/;

const refused = (reason: Reason): HostResult => ({ kind: "refused", reason });

/**
 * A DNS name of two or more LDH labels in its canonical form: lower case and without the final
 * dot, which stands for the root and changes no name (RFC 1034 §3.1). Guard: what it lets through
 * is compared, looked up and dialled as it is.
 */
export const readHost = (text: string): HostResult => {
  if (/[^\0-\x7f]/.test(text)) {
    return refused("NAME_IDNA");
  }
  const host = (text.endsWith(".") ? text.slice(0, -1) : text).toLowerCase();
  if (host.length === 0 || host.length > MAX_NAME_LENGTH) {
    return refused("NAME_INVALID");
  }
  const labels = host.split(".");
  // A single label is completed by search lists, or names something local.
  if (labels.length < 2 || !labels.every((label) => LDH_LABEL.test(label))) {
    return refused("NAME_INVALID");
  }
  if (NUMERIC_LABEL.test(labels.at(-1) ?? "")) {
    return refused("NAME_INVALID");
  }
  return idnaKeeps(host) ? { kind: "host", host } : refused("NAME_IDNA");
};
