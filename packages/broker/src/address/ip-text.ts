import type { IpAddress } from "./address.js";

const DECIMAL_OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const GROUPS = 8;

/**
 * The address that a text spells, or null. IPv4 only as four canonical decimal octets; IPv6 in any
 * form of RFC 4291 §2.2, with a dotted IPv4 tail or without. No zone, no prefix length, no brackets.
 */
export const parseIp = (text: string): IpAddress | null =>
  text.includes(":") ? parseIpv6(text) : parseIpv4(text);

const parseIpv4 = (text: string): IpAddress | null => {
  const octets = dottedOctets(text);
  return octets === null ? null : { family: 4, bytes: Uint8Array.from(octets) };
};

const dottedOctets = (text: string): readonly number[] | null => {
  const parts = text.split(".");
  const octets = parts.map(Number);
  return parts.length === 4 &&
    parts.every((part) => DECIMAL_OCTET.test(part)) &&
    octets.every((octet) => octet <= 255)
    ? octets
    : null;
};

const parseIpv6 = (text: string): IpAddress | null => {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) {
    return null;
  }
  const before = parseGroups(head, tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (before === null || after === null) {
    return null;
  }
  const missing = GROUPS - before.length - after.length;
  // "::" stands for one or more groups of zeros.
  if (tail === undefined ? missing !== 0 : missing < 1) {
    return null;
  }
  const groups = [...before, ...Array<number>(missing).fill(0), ...after];
  return { family: 6, bytes: Uint8Array.from(groups.flatMap((g) => [g >> 8, g & 0xff])) };
};

/** Groups between single colons; a dotted quad may stand for the last two of the address. */
const parseGroups = (text: string, last: boolean): readonly number[] | null => {
  if (text === "") {
    return [];
  }
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (GROUP.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const quad = last && index === parts.length - 1 ? dottedOctets(part) : null;
    if (quad === null) {
      return null;
    }
    const [a = 0, b = 0, c = 0, d = 0] = quad;
    groups.push((a << 8) | b, (c << 8) | d);
  }
  return groups.length > GROUPS ? null : groups;
};

/** The canonical text: RFC 5952, with a dotted tail for IPv4-mapped addresses only (its §5). */
export const formatIp = (ip: IpAddress): string => {
  if (ip.family === 4) {
    return ip.bytes.join(".");
  }
  const groups = groupsOf(ip.bytes);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${ip.bytes.subarray(12).join(".")}`;
  }
  const run = longestZeroRun(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  return run === null
    ? hex(groups)
    : `${hex(groups.slice(0, run.start))}::${hex(groups.slice(run.end))}`;
};

const groupsOf = (bytes: Uint8Array): readonly number[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: GROUPS }, (_, index) => view.getUint16(2 * index));
};

/** RFC 5952 §4.2: the longest run of two or more, and of equal ones the first. */
const longestZeroRun = (
  groups: readonly number[],
): { readonly start: number; readonly end: number } | null => {
  let best: { start: number; end: number } | null = null;
  let start = 0;
  for (let at = 0; at <= groups.length; at++) {
    if (groups[at] === 0) {
      continue;
    }
    const length = at - start;
    if (length >= 2 && length > (best === null ? 0 : best.end - best.start)) {
      best = { start, end: at };
    }
    start = at + 1;
  }
  return best;
};
