import type { Authority } from "../authority/authority.js";
import type { Fields } from "../secret/index.js";

/** What a request says about where it is going. */
export interface Destination {
  /** Of the client's ClientHello, as the handshake settled it; null without one. */
  readonly serverName: string | null;
  /** `:authority` of HTTP/2 (RFC 9113 §8.3.1); null in HTTP/1.1. */
  readonly pseudo: string | null;
  readonly fields: Fields;
}

/**
 * Whether a request is for the authority of its connection: Host (RFC 9110 §7.2), `:authority` and
 * server name all say so, each exactly once. Guard: the upstream serves many names behind one
 * certificate, and picks by these.
 */
export const isRequestFor = (
  { host, port }: Authority,
  { serverName, pseudo, fields }: Destination,
): boolean => {
  const says = (text: string): boolean => {
    const name = text.toLowerCase();
    // RFC 9110 §4.2.2: a client leaves out the default port, and may as well write it.
    return name === `${host}:${port}` || (port === 443 && name === host);
  };
  const named = fields.filter(([name]) => name === "host").map(([, value]) => value);
  if (serverName?.toLowerCase() !== host) return false;
  if (pseudo === null) return named.length === 1 && named.every(says);
  return says(pseudo) && named.length <= 1 && named.every(says);
};
