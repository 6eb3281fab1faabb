import { domainToASCII, domainToUnicode } from "node:url";

/** RFC 1035 2.3.4: 255 octets on the wire, of which length octets and root take two. */
const MAX_NAME_LENGTH = 253;
/** RFC 1123 2.1: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** URL parsers take a name that ends like this for an address. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * An exact DNS name of two or more labels, lower case and without the final dot; null for whatever
 * else, addresses, patterns and URLs among it. The broker reads the same file and has to come to
 * the same name: RFC 5891's A-labels are those that IDNA brings back unchanged.
 */
export const readDnsName = (text: string): string | null => {
  if (/[^!-~]/.test(text)) return null;
  const name = (text.endsWith(".") ? text.slice(0, -1) : text).toLowerCase();
  const labels = name.split(".");
  const isName =
    name.length <= MAX_NAME_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMBER.test(labels.at(-1) ?? "");
  if (!isName) return null;
  return domainToASCII(name) === name && domainToASCII(domainToUnicode(name)) === name
    ? name
    : null;
};
