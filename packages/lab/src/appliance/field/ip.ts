/** An address as a number, and how many bits it has. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export const parseIp = (text: string): IpAddress | null => parseIpv4(text) ?? parseIpv6(text);

const parseIpv4 = (text: string): IpAddress | null => {
  if (!/^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$/.test(text)) return null;
  const parts = text.split(".").map(Number);
  if (parts.some((part) => part > 255)) return null;
  return { family: 4, value: parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
};

/** RFC 4291 §2.2, without zones. */
const parseIpv6 = (text: string): IpAddress | null => {
  if (!text.includes(":") || text.length > 45) return null;
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map(groupsOf);
  if (head === null || tail === null) return null;
  const given = head.length + tail.length;
  if (halves.length === 1 ? given !== 8 : given > 7) return null;
  const groups = [...head, ...Array<number>(8 - given).fill(0), ...tail];
  return { family: 6, value: groups.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n) };
};

/** Null where a group is none. The last may be an IPv4 address, which stands for two. */
const groupsOf = (half: string): readonly number[] | null => {
  if (half === "") return [];
  const groups: number[] = [];
  for (const [index, part] of half.split(":").entries()) {
    const last = index === half.split(":").length - 1;
    const embedded = last ? parseIpv4(part) : null;
    if (embedded !== null) {
      groups.push(Number(embedded.value >> 16n), Number(embedded.value & 0xffffn));
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
};

export interface Subnet {
  readonly address: IpAddress;
  readonly prefix: number;
}

/** `address/bits`; host bits may be set. */
export const parseSubnet = (text: string): Subnet | null => {
  const [, host = "", bits = ""] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const address = parseIp(host);
  if (address === null) return null;
  const prefix = Number(bits);
  return prefix > (address.family === 4 ? 32 : 128) ? null : { address, prefix };
};

export const isInSubnet = (ip: IpAddress, { address, prefix }: Subnet): boolean => {
  if (ip.family !== address.family) return false;
  const rest = BigInt((ip.family === 4 ? 32 : 128) - prefix);
  return ip.value >> rest === address.value >> rest;
};

/** A name with a dot in it. */
export const isFqdn = (text: string): boolean =>
  text.length <= 253 &&
  /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$/i.test(text);

export const isPort = (text: string): boolean =>
  /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65_535;

/** `a:b`, in either order, as the appliance takes it. */
export const isPortRange = (text: string): boolean => {
  const parts = text.split(":");
  return parts.length === 2 && parts.every(isPort);
};
