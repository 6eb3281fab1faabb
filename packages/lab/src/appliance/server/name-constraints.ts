/** DER (X.690) of one element. Lengths below 128 bytes; a name here has at most 63 + 12. */
const element = (tag: number, ...content: readonly Uint8Array[]): Uint8Array => {
  const bytes = Buffer.concat(content);
  if (bytes.length < 0x80) return Buffer.concat([Uint8Array.of(tag, bytes.length), bytes]);
  return Buffer.concat([Uint8Array.of(tag, 0x82, bytes.length >> 8, bytes.length & 0xff), bytes]);
};

const SEQUENCE = 0x30;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** GeneralSubtree; its minimum and maximum are at their defaults, as RFC 5280 §4.2.1.10 demands. */
const subtree = (tag: number, name: Uint8Array): Uint8Array =>
  element(SEQUENCE, element(tag, name));

/**
 * NameConstraints (RFC 5280 §4.2.1.10) that permit one DNS name and nothing beneath it, and one IPv4
 * address.
 */
export const nameConstraints = (name: string, address: string): Uint8Array => {
  const octets = Uint8Array.from(address.split(".").map(Number));
  const everyIpv6 = new Uint8Array(32);
  return element(
    SEQUENCE,
    element(
      PERMITTED,
      subtree(DNS_NAME, Buffer.from(name, "latin1")),
      subtree(IP_ADDRESS, Buffer.concat([octets, Uint8Array.of(255, 255, 255, 255)])),
    ),
    element(
      EXCLUDED,
      subtree(DNS_NAME, Buffer.from(`.${name}`, "latin1")),
      subtree(IP_ADDRESS, everyIpv6),
    ),
  );
};
