import { type Cidr, firstOf, lastOf, type PortRange } from "../model/index.js";

/** Both ends included. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** The same ports in the fewest ranges, ascending: nft merges what touches when it lists a set. */
export const mergePorts = (ranges: readonly PortRange[]): readonly PortRange[] => merge(ranges);

/**
 * The same addresses in the fewest blocks, ascending. nft merges neighbours into ranges that may be
 * no block; their only smallest split into blocks makes both spellings one.
 */
export const mergeCidrs = (blocks: readonly Cidr[]): readonly Cidr[] => {
  if (blocks.length === 1) return blocks;
  return merge(blocks.map((block) => ({ first: firstOf(block), last: lastOf(block) }))).flatMap(
    splitIntoBlocks,
  );
};

/** Greedy: the largest aligned block that starts at the range's start, again and again. */
export const splitIntoBlocks = ({ first, last }: Span): readonly Cidr[] => {
  const blocks: Cidr[] = [];
  let base = first;
  while (base <= last) {
    let prefix = 32;
    while (prefix > 0 && isBlockWithin(base, prefix - 1, last)) prefix -= 1;
    blocks.push({ base, prefix });
    base += 2 ** (32 - prefix);
  }
  return blocks;
};

const isBlockWithin = (base: number, prefix: number, last: number): boolean => {
  const size = 2 ** (32 - prefix);
  return base % size === 0 && base + size - 1 <= last;
};

const merge = (spans: readonly Span[]): Span[] => {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before === undefined || span.first > before.last + 1) {
      merged.push({ first: span.first, last: span.last });
    } else if (span.last > before.last) {
      merged[merged.length - 1] = { first: before.first, last: span.last };
    }
  }
  return merged;
};
