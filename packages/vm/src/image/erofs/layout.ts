import { imageError } from "../errors.js";
import { sortedNames } from "../tree/edit.js";
import type { Content, DirectoryNode, TreeNode } from "../tree/node.js";
import {
  BLOCK_BYTES,
  type DataLayout,
  DIRENT_BYTES,
  type Dirent,
  encodeDirectoryBlock,
  FILE_TYPES,
  INODE_BYTES,
  SLOT_BYTES,
} from "./format.js";

export interface Placed {
  readonly node: TreeNode;
  readonly number: number;
  readonly slot: number;
  readonly layout: DataLayout;
  readonly size: number;
  /** First data block; 0 when there is none. */
  readonly block: number;
  readonly links: number;
  readonly content: Content;
}

export interface Layout {
  readonly inodes: readonly Placed[];
  readonly metaBlocks: number;
  readonly dataBlocks: number;
  readonly rootSlot: number;
}

export const META_BLOCK = 1;
/** How many blocks back a gap is still filled. */
const OPEN_BLOCKS = 8;
/** Block addresses are 32 bits. */
const MAX_BLOCKS = 2 ** 32 - 1;

interface Draft {
  readonly node: TreeNode;
  readonly parent: Draft | undefined;
  links: number;
  slot: number;
  size: number;
}

/**
 * Decides where everything goes. The order is that of a walk with names sorted by bytes, so equal
 * trees get equal images, whatever order their entries were added in.
 */
export const layOut = (root: DirectoryNode): Layout => {
  const drafts = numberInodes(root);
  const meta = new MetaArea();
  for (const draft of drafts.values()) {
    draft.size = sizeOf(draft.node);
    const inline = layoutFor(draft.size) === "inline" ? draft.size % BLOCK_BYTES : 0;
    draft.slot = meta.take(roundUp(INODE_BYTES + inline, SLOT_BYTES)) / SLOT_BYTES;
  }
  const metaBlocks = meta.blocks;
  let next = META_BLOCK + metaBlocks;
  const inodes = [...drafts.values()].map((draft, number): Placed => {
    const { node, slot, size, links } = draft;
    const layout = layoutFor(size);
    const blocks =
      layout === "inline" ? Math.floor(size / BLOCK_BYTES) : Math.ceil(size / BLOCK_BYTES);
    const block = blocks === 0 ? 0 : next;
    next += blocks;
    const content = contentOf(draft, drafts);
    return { node, number: number + 1, slot, layout, size, block, links, content };
  });
  if (next > MAX_BLOCKS) throw imageError("IMAGE_BOUND", "the file system exceeds 16 TiB");
  return { inodes, metaBlocks, dataBlocks: next - META_BLOCK - metaBlocks, rootSlot: 0 };
};

/**
 * Where inodes go. One with its inline tail may not cross a block (fs/erofs/data.c), so blocks end
 * with gaps; small inodes that come soon after fill them, which keeps neighbours together.
 */
class MetaArea {
  readonly #open: { readonly start: number; used: number }[] = [];
  blocks = 0;

  /** Offset of `bytes`, at most a block, in the area. */
  take(bytes: number): number {
    let block = this.#open.find(({ used }) => used + bytes <= BLOCK_BYTES);
    if (block === undefined) {
      block = { start: this.blocks * BLOCK_BYTES, used: 0 };
      this.blocks += 1;
      this.#open.push(block);
      if (this.#open.length > OPEN_BLOCKS) this.#open.shift();
    }
    const offset = block.start + block.used;
    block.used += bytes;
    return offset;
  }
}

/** A tail shares the inode's block when both fit in one; that saves half a block a small file. */
const layoutFor = (size: number): DataLayout => {
  const tail = size % BLOCK_BYTES;
  return tail > 0 && INODE_BYTES + tail <= BLOCK_BYTES ? "inline" : "plain";
};

const numberInodes = (root: DirectoryNode): Map<TreeNode, Draft> => {
  const drafts = new Map<TreeNode, Draft>();
  const visit = (node: TreeNode, parent: Draft | undefined): void => {
    const known = drafts.get(node);
    if (known !== undefined) {
      if (node.kind === "directory") throw imageError("IMAGE_LINK", "a directory has two names");
      known.links += 1;
      return;
    }
    const draft: Draft = { node, parent, links: 1, slot: 0, size: 0 };
    drafts.set(node, draft);
    if (node.kind !== "directory") return;
    // "." and the name in the parent; each subdirectory's ".." adds one.
    draft.links = 2;
    for (const name of sortedNames(node)) {
      const child = node.entries.get(name);
      if (child === undefined) continue;
      if (child.kind === "directory") draft.links += 1;
      visit(child, draft);
    }
  };
  visit(root, undefined);
  return drafts;
};

const sizeOf = (node: TreeNode): number => {
  switch (node.kind) {
    case "file":
      return node.content.size;
    case "symlink":
      return Buffer.byteLength(node.target);
    case "directory": {
      const blocks = directoryBlocks(node);
      return (blocks.length - 1) * BLOCK_BYTES + usedBytes(blocks.at(-1) ?? []);
    }
  }
};

const contentOf = (draft: Draft, drafts: ReadonlyMap<TreeNode, Draft>): Content => {
  const { node } = draft;
  switch (node.kind) {
    case "file":
      return node.content;
    case "symlink":
      return bytes(Buffer.from(node.target));
    case "directory": {
      const blocks = directoryBlocks(node);
      const encoded = blocks.map((names, index) => {
        const block = encodeDirectoryBlock(
          names.map((name) => direntFor(name, node, draft, drafts)),
        );
        const last = index === blocks.length - 1;
        return last ? block : Buffer.concat([block, Buffer.alloc(BLOCK_BYTES - block.length)]);
      });
      return bytes(Buffer.concat(encoded));
    }
  }
};

/** A directory's names, dot and dot-dot among them, in byte order and cut into blocks. */
const directoryBlocks = (node: DirectoryNode): Buffer[][] => {
  const names = [...sortedNames(node), ".", ".."]
    .map((name) => Buffer.from(name))
    .sort(Buffer.compare);
  const blocks: Buffer[][] = [];
  let current: Buffer[] = [];
  for (const name of names) {
    if (usedBytes([name]) + usedBytes(current) > BLOCK_BYTES) {
      blocks.push(current);
      current = [];
    }
    current.push(name);
  }
  blocks.push(current);
  return blocks;
};

const direntFor = (
  name: Buffer,
  node: DirectoryNode,
  draft: Draft,
  drafts: ReadonlyMap<TreeNode, Draft>,
): Dirent => {
  const text = name.toString();
  if (text === ".") return { name, slot: draft.slot, type: FILE_TYPES.directory };
  if (text === "..") {
    return { name, slot: (draft.parent ?? draft).slot, type: FILE_TYPES.directory };
  }
  const child = node.entries.get(text);
  const placed = child === undefined ? undefined : drafts.get(child);
  if (child === undefined || placed === undefined) {
    throw imageError("IMAGE_FORMAT", "a directory changed while it was laid out");
  }
  return { name, slot: placed.slot, type: FILE_TYPES[child.kind] };
};

const usedBytes = (names: readonly Buffer[]): number =>
  names.reduce((sum, name) => sum + DIRENT_BYTES + name.length, 0);

const bytes = (buffer: Buffer): Content => ({ kind: "bytes", bytes: buffer, size: buffer.length });

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
