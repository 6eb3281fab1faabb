/** DER (X.690) of one element. Lengths below 64 KiB. */
const element = (tag: number, content: Uint8Array): Uint8Array => {
  const { length } = content;
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.from(header), content]);
};

const SEQUENCE = 0x30;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** GeneralSubtree; its minimum and maximum are at their defaults, as RFC 5280 §4.2.1.10 demands. */
const subtree = (tag: number, name: Uint8Array): Uint8Array =>
  element(SEQUENCE, element(tag, name));

/** Address and mask, all zero: every address of the family. */
const EVERY_IPV4 = new Uint8Array(8);
const EVERY_IPV6 = new Uint8Array(32);

/**
 * NameConstraints (RFC 5280 §4.2.1.10) that permit exactly these DNS names and IPv4 addresses.
 *
 * A permitted name permits what lies beneath it as well, so each is excluded again with a leading
 * dot, unless something granted lies there. Names of other kinds (mail, URI, directory) prove no
 * server; listing them makes some verifiers refuse the certificate as a whole.
 */
export const nameConstraints = (
  hosts: readonly string[],
  addresses: readonly string[] = [],
): Uint8Array => {
  const beneath = (host: string) => hosts.some((other) => other.endsWith(`.${host}`));
  const dns = (name: string) => subtree(DNS_NAME, Buffer.from(name, "latin1"));
  return element(
    SEQUENCE,
    Buffer.concat([
      element(PERMITTED, Buffer.concat([...hosts.map(dns), ...addresses.map(exactly)])),
      element(
        EXCLUDED,
        Buffer.concat([
          ...hosts.filter((host) => !beneath(host)).map((host) => dns(`.${host}`)),
          // One that is permitted leaves no other, and what is excluded would win.
          ...(addresses.length > 0 ? [] : [subtree(IP_ADDRESS, EVERY_IPV4)]),
          subtree(IP_ADDRESS, EVERY_IPV6),
        ]),
      ),
    ]),
  );
};

const exactly = (address: string): Uint8Array =>
  subtree(IP_ADDRESS, Uint8Array.from([...address.split(".").map(Number), 255, 255, 255, 255]));
