import { type Chance, drawBetween } from "../../chance/index.js";

/**
 * Where a chunk is cut, its end included: in about two, and each part again, until what is left is
 * no longer than the average and its variation.
 */
export const cutsOf = (
  length: number,
  average: number,
  variation: number,
  chance: Chance,
): readonly [readonly number[], Chance] => {
  const cuts: number[] = [];
  let next = chance;
  // Parts that still have to be looked at, the first one last.
  const parts: (readonly [number, number])[] = [[0, length]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [start, end] = part;
    if (end - start - average <= variation) {
      cuts.push(end);
      continue;
    }
    const [offset, after] = drawBetween(next, -variation, variation);
    next = after;
    // A cut at an end would be no cut, and never end.
    const middle = Math.floor((end - start) / 2) + offset;
    const at = start + Math.min(Math.max(middle, 1), end - start - 1);
    parts.push([at, end], [start, at]);
  }
  return [cuts, next];
};
