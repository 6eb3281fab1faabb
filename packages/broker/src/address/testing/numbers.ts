import type { IpAddress } from "../address.js";

/** An address as a number, for reckoning that owes nothing to what it tests. */
export const toNumber = ({ bytes }: IpAddress): bigint =>
  bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

/** The address of that number, or null where there is none in the family. */
export const fromNumber = (family: 4 | 6, value: bigint): IpAddress | null => {
  const length = family === 4 ? 4 : 16;
  if (value < 0n || value >= 1n << BigInt(8 * length)) {
    return null;
  }
  const bytes = Uint8Array.from({ length }, (_, index) =>
    Number((value >> BigInt(8 * (length - 1 - index))) & 0xffn),
  );
  return { family, bytes };
};

export interface Range {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** The range of a block, by its own reading of the text. */
export const rangeOf = (block: string): Range => {
  const [address = "", length = ""] = block.split("/");
  const family = address.includes(":") ? 6 : 4;
  const bits = family === 4 ? 32n : 128n;
  const first = family === 4 ? ipv4Number(address) : ipv6Number(address);
  return { family, first, last: first + (1n << (bits - BigInt(length))) - 1n };
};

const ipv4Number = (text: string): bigint =>
  text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);

const ipv6Number = (text: string): bigint => {
  const [head = "", tail = ""] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = groups(tail);
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  );
};
