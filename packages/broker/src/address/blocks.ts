import type { IpAddress } from "./address.js";
import { BEYOND_REGISTRY } from "./beyond-registry.js";
import { parseIp } from "./ip-text.js";
import { IANA_IPV4_SPECIAL_PURPOSE, IANA_IPV6_SPECIAL_PURPOSE } from "./special-purpose-table.js";

export interface Block {
  /** Its first address. */
  readonly prefix: IpAddress;
  /** In bits. */
  readonly length: number;
  readonly text: string;
  readonly name: string;
  readonly global: boolean;
}

const parseBlock = (text: string, name: string, global: boolean): Block => {
  const [address = "", length = ""] = text.split("/");
  const prefix = parseIp(address);
  if (prefix === null) {
    throw new RangeError(`${text} is no address block`);
  }
  return { prefix, length: Number(length), text, name, global };
};

/** Every block, the most specific first; of equal ones Drydock's own before the registry's. */
export const BLOCKS: readonly Block[] = [
  ...BEYOND_REGISTRY.map(({ block, name, global }) => parseBlock(block, name, global)),
  ...[...IANA_IPV4_SPECIAL_PURPOSE, ...IANA_IPV6_SPECIAL_PURPOSE].map((row) => parseBlock(...row)),
].sort((a, b) => b.length - a.length);

export const contains = (block: Block, ip: IpAddress): boolean => {
  if (block.prefix.family !== ip.family) {
    return false;
  }
  const whole = block.length >> 3;
  for (let at = 0; at < whole; at++) {
    if (block.prefix.bytes[at] !== ip.bytes[at]) {
      return false;
    }
  }
  const mask = 0xff00 >> (block.length & 7);
  const difference = (block.prefix.bytes[whole] ?? 0) ^ (ip.bytes[whole] ?? 0);
  return (difference & mask & 0xff) === 0;
};

/** The most specific block that holds the address. */
export const blockOf = (ip: IpAddress): Block => {
  const block = BLOCKS.find((candidate) => contains(candidate, ip));
  // Octets that aren't there would match the widest blocks, and of IPv4 that one is global.
  if (block === undefined || ip.bytes.length !== block.prefix.bytes.length) {
    throw new RangeError(`An IPv${ip.family} address doesn't have ${ip.bytes.length} octets`);
  }
  return block;
};
