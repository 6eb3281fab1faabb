import { createHash } from "node:crypto";

/** RFC 6962 §2.1: a leaf can't be passed off as a node, nor a node as a leaf. */
const RFC6962_LEAF_HASH_PREFIX = Buffer.from([0x00]);
const RFC6962_NODE_HASH_PREFIX = Buffer.from([0x01]);

export const leafHash = (leaf: Uint8Array): Buffer =>
  createHash("sha256").update(RFC6962_LEAF_HASH_PREFIX).update(leaf).digest();

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash("sha256").update(RFC6962_NODE_HASH_PREFIX).update(left).update(right).digest();

/** Root of the empty tree: the hash of nothing. */
export const EMPTY_ROOT: Buffer = createHash("sha256").digest();

interface Subtree {
  readonly height: number;
  readonly hash: Buffer;
}

/** Root of a growing tree in O(log n) memory: keeps one hash for each bit set in its size. */
export class IncrementalTree {
  readonly #subtrees: Subtree[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    this.appendLeafHash(leafHash(leaf));
  }

  appendLeafHash(hash: Buffer): void {
    let subtree: Subtree = { height: 0, hash };
    for (;;) {
      const left = this.#subtrees.at(-1);
      if (left === undefined || left.height !== subtree.height) break;
      this.#subtrees.pop();
      subtree = { height: subtree.height + 1, hash: nodeHash(left.hash, subtree.hash) };
    }
    this.#subtrees.push(subtree);
    this.#size += 1;
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (let index = this.#subtrees.length - 1; index >= 0; index -= 1) {
      const subtree = this.#subtrees[index];
      if (subtree === undefined) continue;
      root = root === undefined ? subtree.hash : nodeHash(subtree.hash, root);
    }
    return root ?? EMPTY_ROOT;
  }
}

/** RFC 6962 §2.1 over leaf hashes. */
export const rootOf = (leafHashes: readonly Buffer[]): Buffer => {
  const tree = new IncrementalTree();
  for (const hash of leafHashes) tree.appendLeafHash(hash);
  return tree.root();
};

/** RFC 9162 §2.1.3.1: audit path of leaf `index` in the tree over all `leafHashes`. */
export const inclusionProof = (leafHashes: readonly Buffer[], index: number): Buffer[] => {
  if (index < 0 || index >= leafHashes.length) throw new RangeError("leaf index outside the tree");
  if (leafHashes.length === 1) return [];
  const split = largestPowerOfTwoBelow(leafHashes.length);
  const left = leafHashes.slice(0, split);
  const right = leafHashes.slice(split);
  return index < split
    ? [...inclusionProof(left, index), rootOf(right)]
    : [...inclusionProof(right, index - split), rootOf(left)];
};

/** RFC 9162 §2.1.4.1: proof that the first `size` leaves are a prefix of `leafHashes`. */
export const consistencyProof = (leafHashes: readonly Buffer[], size: number): Buffer[] => {
  if (size < 1 || size > leafHashes.length) throw new RangeError("size outside the tree");
  return subProof(leafHashes, size, true);
};

const subProof = (leaves: readonly Buffer[], size: number, complete: boolean): Buffer[] => {
  if (size === leaves.length) return complete ? [] : [rootOf(leaves)];
  const split = largestPowerOfTwoBelow(leaves.length);
  const left = leaves.slice(0, split);
  const right = leaves.slice(split);
  return size <= split
    ? [...subProof(left, size, complete), rootOf(right)]
    : [...subProof(right, size - split, false), rootOf(left)];
};

const largestPowerOfTwoBelow = (count: number): number => 2 ** Math.floor(Math.log2(count - 1));
