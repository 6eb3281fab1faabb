/** An IPv4 address as an unsigned 32-bit integer, so that ranges are compared as numbers. */
export type Ipv4 = number;

/** A block of addresses, `base` with its host bits zero. */
export interface Cidr {
  readonly base: Ipv4;
  /** 0 to 32. */
  readonly prefix: number;
}

/** RFC 4632 3.1: strict dotted quad, no leading zeros; null for anything else. */
export const parseIpv4 = (text: string): Ipv4 | null => {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let value = 0;
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part)) return null;
    const octet = Number(part);
    if (octet > 255) return null;
    value = value * 256 + octet;
  }
  return value;
};

export const formatIpv4 = (address: Ipv4): string =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");

/** `10.60.1.0/24`; null where host bits are set, so that one block has one spelling. */
export const parseCidr = (text: string): Cidr | null => {
  const [head, tail, rest] = text.split("/");
  if (head === undefined || tail === undefined || rest !== undefined) return null;
  if (!/^(0|[1-9][0-9]?)$/.test(tail)) return null;
  const base = parseIpv4(head);
  const prefix = Number(tail);
  if (base === null || prefix > 32) return null;
  return firstOf({ base, prefix }) === base ? { base, prefix } : null;
};

export const formatCidr = ({ base, prefix }: Cidr): string => `${formatIpv4(base)}/${prefix}`;

export const firstOf = ({ base, prefix }: Cidr): Ipv4 => base - (base % 2 ** (32 - prefix));

export const lastOf = (cidr: Cidr): Ipv4 => firstOf(cidr) + 2 ** (32 - cidr.prefix) - 1;

export const contains = (cidr: Cidr, address: Ipv4): boolean =>
  address >= firstOf(cidr) && address <= lastOf(cidr);
