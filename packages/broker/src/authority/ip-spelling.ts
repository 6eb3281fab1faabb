import { domainToASCII } from "node:url";

/** A number as inet_aton(3) reads it: decimal, octal by a leading zero, or hexadecimal. */
const NUMBER = "(?:0[xX][0-9a-fA-F]*|[0-9]+)";
const NUMBERS = new RegExp(`^${NUMBER}(?:\\.${NUMBER})*\\.{0,2}$`);

/** Only IPv6 addresses have two colons, and no other character but those of an IPv4 tail. */
const HEXADECIMAL_AND_COLONS = /^[0-9a-fA-F]*:[0-9a-fA-FxX.]*:[0-9a-fA-FxX:.]*$/;

/** A URL parser's spelling of a host that it took for an IPv4 address. */
const DOTTED_QUAD = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;

/** Beyond it no text is a host; keeps what the URL parser is given small. */
const MAX_MAPPED_LENGTH = 1024;

/**
 * Whether an authority, with its port or without, holds an IP address in any spelling that some
 * resolver, URL parser or dialler would take for one. Guard: a name is checked by its name, and an
 * address by no such check.
 */
export const isIpSpelling = (text: string): boolean => {
  // Square brackets surround IP literals only (RFC 3986 §3.2.2).
  if (/[[\]]/.test(text)) {
    return true;
  }
  // A zone (RFC 4007 §11) follows the address after a percent sign.
  const [unzoned = ""] = text.split("%", 1);
  if (HEXADECIMAL_AND_COLONS.test(unzoned)) {
    return true;
  }
  const [host = ""] = unzoned.split(":", 1);
  return NUMBERS.test(host) || mapsToIpv4(host);
};

/** Full-width or circled digits, ideographic full stops: UTS 46 maps them to ASCII. */
const mapsToIpv4 = (host: string): boolean =>
  /[^\0-\x7f]/.test(host) &&
  host.length <= MAX_MAPPED_LENGTH &&
  DOTTED_QUAD.test(domainToASCII(host));
