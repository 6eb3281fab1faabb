import type { Authority } from "../authority/authority.js";
import { parseAuthorityOr } from "../authority/parse.js";

/**
 * Whether a Host field names the authority of its request's target, both in canonical form. Guard:
 * an upstream, or a proxy in front of it, may go by Host (RFC 9112 §3.2.2 forbids it, and some do).
 *
 * `defaultPort` is the scheme's. A CONNECT has none: there a Host without a port has to name the
 * same host, since some clients leave out the port of the scheme that they are going to speak.
 */
export const hostAgrees = (
  value: string,
  authority: Authority,
  defaultPort: number | null,
): boolean => {
  const host = parseAuthorityOr(value, defaultPort ?? authority.port);
  return (
    host.kind === "authority" &&
    host.authority.host === authority.host &&
    host.authority.port === authority.port
  );
};
