import { nodeHash } from "./merkle.js";

/** RFC 9162 §2.1.3.2. */
export const isIncluded = (
  leaf: Buffer,
  index: number,
  size: number,
  root: Buffer,
  proof: readonly Buffer[],
): boolean => {
  if (index < 0 || index >= size) return false;
  let node = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && hash.equals(root);
};

/** RFC 9162 §2.1.4.2. */
export const isConsistent = (
  firstSize: number,
  firstRoot: Buffer,
  secondSize: number,
  secondRoot: Buffer,
  proof: readonly Buffer[],
): boolean => {
  if (firstSize < 1 || firstSize > secondSize) return false;
  if (firstSize === secondSize) return proof.length === 0 && firstRoot.equals(secondRoot);
  const path = isPowerOfTwo(firstSize) ? [firstRoot, ...proof] : [...proof];
  const start = path.shift();
  if (start === undefined) return false;
  let node = firstSize - 1;
  let last = secondSize - 1;
  while (isOdd(node)) {
    node = half(node);
    last = half(last);
  }
  let first = start;
  let second = start;
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      first = nodeHash(sibling, first);
      second = nodeHash(sibling, second);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      second = nodeHash(second, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && first.equals(firstRoot) && second.equals(secondRoot);
};

// Sizes may pass 2^31, where the bit operators of the language stop.
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));
