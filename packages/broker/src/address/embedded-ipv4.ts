import type { IpAddress } from "./address.js";

/** An IPv4 address inside an IPv6 one, and by which mechanism something could send there. */
export interface EmbeddedIpv4 {
  readonly mechanism: string;
  readonly ip: IpAddress;
}

type Bytes = Uint8Array;

/**
 * Every IPv4 address that a host, relay or translator could take out of an IPv6 one. Which of them
 * exist in this network can't be seen, so all are named; a translator with a prefix of the
 * operator's own (RFC 6052 §2.2) can't be, since that prefix looks like any other.
 */
export const embeddedIpv4 = (ip: IpAddress): readonly EmbeddedIpv4[] =>
  ip.family === 4
    ? []
    : MECHANISMS.flatMap(({ mechanism, applies, addresses }) =>
        applies(ip.bytes)
          ? addresses(ip.bytes).map((bytes) => ({ mechanism, ip: { family: 4, bytes } as const }))
          : [],
      );

const startsWith =
  (...prefix: readonly number[]) =>
  (bytes: Bytes): boolean =>
    prefix.every((byte, index) => bytes[index] === byte);

const octets =
  (at: number) =>
  (bytes: Bytes): readonly Bytes[] => [bytes.slice(at, at + 4)];

const ZEROS_80 = Array<number>(10).fill(0);

/** Bits 64 to 71 are zero and skipped, whatever the prefix's length. */
const RESERVED_OCTET = 8;

/** RFC 6052 §2.2: the four octets behind a prefix of so many bits. */
const behindPrefix = (bytes: Bytes, bits: number): Bytes =>
  bytes
    .filter((_, index) => index !== RESERVED_OCTET || bits === 96)
    .slice(prefixOctets(bits), prefixOctets(bits) + 4);

const prefixOctets = (bits: number): number => (bits === 96 ? 12 : bits / 8);

const MECHANISMS: readonly {
  readonly mechanism: string;
  readonly applies: (bytes: Bytes) => boolean;
  readonly addresses: (bytes: Bytes) => readonly Bytes[];
}[] = [
  {
    mechanism: "IPv4-mapped (RFC 4291 §2.5.5.2)",
    applies: startsWith(...ZEROS_80, 0xff, 0xff),
    addresses: octets(12),
  },
  {
    mechanism: "IPv4-compatible (RFC 4291 §2.5.5.1)",
    applies: startsWith(...ZEROS_80, 0, 0),
    addresses: octets(12),
  },
  {
    // ::ffff:0:a.b.c.d; an SIIT translator takes it for the host that it stands for.
    mechanism: "IPv4-translated (RFC 2765 §2.1)",
    applies: startsWith(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0),
    addresses: octets(12),
  },
  {
    mechanism: "NAT64, well-known prefix (RFC 6052 §2.1)",
    applies: startsWith(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0),
    addresses: octets(12),
  },
  {
    // The operator may have cut any longer prefix out of it.
    mechanism: "NAT64, local-use prefix (RFC 8215)",
    applies: startsWith(0, 0x64, 0xff, 0x9b, 0, 1),
    addresses: (bytes) => [48, 56, 64, 96].map((bits) => behindPrefix(bytes, bits)),
  },
  { mechanism: "6to4 (RFC 3056 §2)", applies: startsWith(0x20, 0x02), addresses: octets(2) },
  {
    // The server, then the client's address, whose bits are inverted.
    mechanism: "Teredo (RFC 4380 §4)",
    applies: startsWith(0x20, 0x01, 0, 0),
    addresses: (bytes) => [bytes.slice(4, 8), bytes.slice(12, 16).map((octet) => octet ^ 0xff)],
  },
  {
    // The universal bit is set when the IPv4 address is thought unique, by the host itself.
    mechanism: "ISATAP (RFC 5214 §6.1)",
    applies: (bytes) =>
      (bytes[8] === 0 || bytes[8] === 2) &&
      bytes[9] === 0 &&
      bytes[10] === 0x5e &&
      bytes[11] === 0xfe,
    addresses: octets(12),
  },
];
