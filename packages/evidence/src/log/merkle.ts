import { hash } from "node:crypto";

/** RFC 6962 §2.1: a leaf can't be passed off as a node, nor a node as a leaf. */
const RFC6962_LEAF_HASH_PREFIX = 0x00;
const RFC6962_NODE_HASH_PREFIX = 0x01;

/** Hashes as one character a byte: node:crypto makes strings twice as fast as Buffers. */
type HashText = string;

let leafScratch = Buffer.alloc(4096);
const nodeScratch = Buffer.alloc(65, RFC6962_NODE_HASH_PREFIX);

const leafHashText = (leaf: Uint8Array): HashText => {
  if (leaf.length >= leafScratch.length) leafScratch = Buffer.alloc(2 * leaf.length);
  leafScratch[0] = RFC6962_LEAF_HASH_PREFIX;
  leafScratch.set(leaf, 1);
  return hash("sha256", leafScratch.subarray(0, leaf.length + 1), "binary");
};

const nodeHashText = (left: HashText, right: HashText): HashText => {
  nodeScratch.write(left, 1, "binary");
  nodeScratch.write(right, 33, "binary");
  return hash("sha256", nodeScratch, "binary");
};

const bytesOf = (text: HashText): Buffer => Buffer.from(text, "binary");
const textOf = (bytes: Buffer): HashText => bytes.toString("binary");

export const leafHash = (leaf: Uint8Array): Buffer => bytesOf(leafHashText(leaf));

export const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  bytesOf(nodeHashText(textOf(left), textOf(right)));

/** Root of the empty tree: the hash of nothing. */
export const EMPTY_ROOT: Buffer = Buffer.from(
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "hex",
);

interface Subtree {
  readonly height: number;
  readonly hash: HashText;
}

/** Root of a growing tree in O(log n) memory: keeps one hash for each bit set in its size. */
export class IncrementalTree {
  readonly #subtrees: Subtree[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    this.#push(leafHashText(leaf));
  }

  appendLeafHash(leaf: Buffer): void {
    this.#push(textOf(leaf));
  }

  root(): Buffer {
    const last = this.#subtrees.at(-1);
    if (last === undefined) return EMPTY_ROOT;
    const root = this.#subtrees
      .slice(0, -1)
      .reduceRight((right, left) => nodeHashText(left.hash, right), last.hash);
    return bytesOf(root);
  }

  /** Hashes of the complete subtrees, from left to right: all that it takes to go on. */
  get frontier(): readonly { readonly height: number; readonly hash: string }[] {
    return this.#subtrees.map(({ height, hash: text }) => ({
      height,
      hash: bytesOf(text).toString("hex"),
    }));
  }

  /** The tree with that frontier, or null when no tree has it. Only a root says whether it is right. */
  static resume(frontier: IncrementalTree["frontier"]): IncrementalTree | null {
    const tree = new IncrementalTree();
    for (const { height, hash: hex } of frontier) {
      const above = tree.#subtrees.at(-1)?.height ?? Number.POSITIVE_INFINITY;
      if (height >= above) return null;
      tree.#subtrees.push({ height, hash: textOf(Buffer.from(hex, "hex")) });
      tree.#size += 2 ** height;
    }
    return tree;
  }

  #push(leaf: HashText): void {
    let subtree: Subtree = { height: 0, hash: leaf };
    for (;;) {
      const left = this.#subtrees.at(-1);
      if (left === undefined || left.height !== subtree.height) break;
      this.#subtrees.pop();
      subtree = { height: subtree.height + 1, hash: nodeHashText(left.hash, subtree.hash) };
    }
    this.#subtrees.push(subtree);
    this.#size += 1;
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
