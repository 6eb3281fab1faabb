import type { Reason } from "../decision/reason.js";
import type { Authority } from "./authority.js";
import { readHost } from "./host.js";
import { isIpSpelling } from "./ip-spelling.js";
import { readPort } from "./port.js";

export type AuthorityResult =
  | { readonly kind: "authority"; readonly authority: Authority }
  | { readonly kind: "refused"; readonly reason: Reason };

const refused = (reason: Reason): AuthorityResult => ({ kind: "refused", reason });

/**
 * The one canonicaliser: `host:port` in, what filter, dialler and log use out. Policy files, the
 * command line, request targets, Host fields and server names all pass here, so that no two of
 * them can read one text as two names.
 *
 * Folded are ASCII upper case and one final dot. Every other spelling is refused, never mended:
 * the first reason that applies, from the most telling to the most general. Nothing is looked up.
 */
export const parseAuthority = (text: string): AuthorityResult => {
  if (/[\0- \x7f-\x9f]/.test(text)) {
    return refused("CONTROL_BYTE");
  }
  if (/[/\\?#]/.test(text)) {
    return refused("URL");
  }
  if (text.includes("@")) {
    return refused("USERINFO");
  }
  if (isIpSpelling(text)) {
    return refused("IP_LITERAL");
  }
  if (text.includes("%")) {
    return refused("PERCENT_ESCAPE");
  }
  if (text.includes("*")) {
    return refused("WILDCARD");
  }
  const colon = text.indexOf(":");
  if (colon === -1 || text.includes(":", colon + 1)) {
    return refused("AUTHORITY_FORM");
  }
  const host = readHost(text.slice(0, colon));
  if (host.kind === "refused") {
    return host;
  }
  const port = readPort(text.slice(colon + 1));
  return port === null
    ? refused("PORT_INVALID")
    : { kind: "authority", authority: { host: host.host, port } };
};

/**
 * The authority of an `http` URI or of a Host field, where the scheme's default port may be left
 * out (RFC 9110 §4.2.1, §7.2). The colon without a port, which RFC 3986 allows, is refused.
 */
export const parseAuthorityOr = (text: string, defaultPort: number): AuthorityResult =>
  parseAuthority(text.includes(":") ? text : `${text}:${defaultPort}`);
