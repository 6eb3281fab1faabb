import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { createObject, type Store, type StoredObject } from "../../store/index.js";
import { imageError } from "../errors.js";
import type { Content, DirectoryNode } from "../tree/node.js";
import { BLOCK_BYTES, encodeInode, encodeSuperblock, MODE_TYPES, SLOT_BYTES } from "./format.js";
import { layOut, META_BLOCK, type Placed } from "./layout.js";

const COPY_BYTES = 1024 * 1024;

/**
 * Writes a tree as a read-only erofs image into the store. Uncompressed: a guest under emulation
 * reads faster than it decompresses. The UUID follows from `label`, times come from the tree, so
 * equal trees are equal bytes.
 */
export const writeErofs = (store: Store, root: DirectoryNode, label: string): StoredObject => {
  const layout = layOut(root);
  const sink = createObject(store);
  const sources = new Sources();
  try {
    sink.write(
      encodeSuperblock({
        rootSlot: layout.rootSlot,
        inodes: layout.inodes.length,
        blocks: META_BLOCK + layout.metaBlocks + layout.dataBlocks,
        metaBlock: META_BLOCK,
        uuid: uuidOf(label),
      }),
    );
    const meta = Buffer.alloc(layout.metaBlocks * BLOCK_BYTES);
    for (const inode of layout.inodes) writeInode(meta, inode, sources);
    sink.write(meta);
    for (const inode of layout.inodes) {
      const length = inode.size - inlineBytes(inode);
      if (length === 0) continue;
      sources.copy(inode.content, 0, length, sink.write);
      const rest = length % BLOCK_BYTES;
      if (rest > 0) sink.write(Buffer.alloc(BLOCK_BYTES - rest));
    }
    return sink.finish();
  } finally {
    sources.close();
    sink.abort();
  }
};

const writeInode = (meta: Buffer, inode: Placed, sources: Sources): void => {
  const { attributes, kind } = inode.node;
  const at = inode.slot * SLOT_BYTES;
  encodeInode(meta, at, {
    layout: inode.layout,
    mode: MODE_TYPES[kind] | attributes.mode,
    size: inode.size,
    block: inode.block,
    number: inode.number,
    uid: attributes.uid,
    gid: attributes.gid,
    mtime: attributes.mtime,
    links: inode.links,
  });
  const inline = inlineBytes(inode);
  if (inline === 0) return;
  let target = at + 64;
  sources.copy(inode.content, inode.size - inline, inline, (bytes) => {
    meta.set(bytes, target);
    target += bytes.length;
  });
};

const inlineBytes = ({ layout, size }: Placed): number =>
  layout === "inline" ? size % BLOCK_BYTES : 0;

/** RFC 9562 version 8: sixteen bytes of our own choosing with the version and variant bits set. */
const uuidOf = (label: string): Buffer => {
  const uuid = createHash("sha256").update(`drydock.erofs/v1 ${label}`).digest().subarray(0, 16);
  uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x80, 6);
  uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuid;
};

/** Reads contents piece by piece, keeping the few files they lie in open. */
class Sources {
  readonly #open = new Map<string, number>();
  readonly #buffer = Buffer.allocUnsafe(COPY_BYTES);

  copy(content: Content, from: number, length: number, emit: (bytes: Uint8Array) => void): void {
    if (content.kind === "bytes") {
      emit(content.bytes.subarray(from, from + length));
      return;
    }
    const descriptor = this.#descriptor(content.path);
    for (let done = 0; done < length; ) {
      const wanted = Math.min(length - done, this.#buffer.length);
      const read = readSync(descriptor, this.#buffer, 0, wanted, content.offset + from + done);
      if (read === 0) {
        throw imageError("IMAGE_INPUT", `${content.path} became shorter while it was read`);
      }
      emit(this.#buffer.subarray(0, read));
      done += read;
    }
  }

  close(): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #descriptor(path: string): number {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const descriptor = openSync(path, "r");
    this.#open.set(path, descriptor);
    return descriptor;
  }
}
