/**
 * The erofs on-disk format, as in Linux fs/erofs/erofs_fs.h (6.1): the uncompressed subset that
 * this writer makes. All integers are little-endian.
 */
export const BLOCK_BYTES = 4096;
export const SUPER_OFFSET = 1024;
export const SLOT_BYTES = 32;
export const INODE_BYTES = 64;
export const DIRENT_BYTES = 12;

const MAGIC = 0xe0f5e1e2;
const BLOCK_BITS = 12;
const FEATURE_COMPAT_CHECKSUM = 1;
/** i_format: bit 0 is set for a 64-byte inode, bits 1 to 3 hold the data layout. */
const EXTENDED_INODE = 1;

export type DataLayout = "plain" | "inline";
const LAYOUT_BITS: Record<DataLayout, number> = { plain: 0, inline: 2 };

export const FILE_TYPES = { file: 1, directory: 2, symlink: 7 } as const;
export const MODE_TYPES = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;

export interface Superblock {
  readonly rootSlot: number;
  readonly inodes: number;
  readonly blocks: number;
  readonly metaBlock: number;
  readonly uuid: Buffer;
}

/** The whole of block 0, checksum included. */
export const encodeSuperblock = (superblock: Superblock): Buffer => {
  const block = Buffer.alloc(BLOCK_BYTES);
  const at = SUPER_OFFSET;
  block.writeUInt32LE(MAGIC, at);
  block.writeUInt32LE(FEATURE_COMPAT_CHECKSUM, at + 8);
  block.writeUInt8(BLOCK_BITS, at + 12);
  block.writeUInt16LE(superblock.rootSlot, at + 14);
  block.writeBigUInt64LE(BigInt(superblock.inodes), at + 16);
  block.writeUInt32LE(superblock.blocks, at + 36);
  block.writeUInt32LE(superblock.metaBlock, at + 40);
  superblock.uuid.copy(block, at + 48, 0, 16);
  block.writeUInt32LE(crc32c(block.subarray(SUPER_OFFSET)), at + 4);
  return block;
};

export interface Inode {
  readonly layout: DataLayout;
  /** Type and permission bits. */
  readonly mode: number;
  readonly size: number;
  readonly block: number;
  readonly number: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtime: number;
  readonly links: number;
}

export const encodeInode = (target: Buffer, at: number, inode: Inode): void => {
  target.writeUInt16LE(EXTENDED_INODE | (LAYOUT_BITS[inode.layout] << 1), at);
  target.writeUInt16LE(inode.mode, at + 4);
  target.writeBigUInt64LE(BigInt(inode.size), at + 8);
  target.writeUInt32LE(inode.block, at + 16);
  target.writeUInt32LE(inode.number, at + 20);
  target.writeUInt32LE(inode.uid, at + 24);
  target.writeUInt32LE(inode.gid, at + 28);
  target.writeBigUInt64LE(BigInt(inode.mtime), at + 32);
  target.writeUInt32LE(inode.links, at + 44);
};

export interface Dirent {
  readonly name: Buffer;
  readonly slot: number;
  readonly type: number;
}

/** One directory block: entries first, names after them; the first entry tells how many. */
export const encodeDirectoryBlock = (dirents: readonly Dirent[]): Buffer => {
  const header = Buffer.alloc(dirents.length * DIRENT_BYTES);
  let nameOffset = header.length;
  dirents.forEach((dirent, index) => {
    const at = index * DIRENT_BYTES;
    header.writeBigUInt64LE(BigInt(dirent.slot), at);
    header.writeUInt16LE(nameOffset, at + 8);
    header.writeUInt8(dirent.type, at + 10);
    nameOffset += dirent.name.length;
  });
  return Buffer.concat([header, ...dirents.map(({ name }) => name)]);
};

/** CRC-32C without the final inversion, as the kernel's crc32c(~0, …) gives it. */
export const crc32c = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC32C_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return crc >>> 0;
};

const CRC32C_POLYNOMIAL = 0x82f63b78;
const CRC32C_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ CRC32C_POLYNOMIAL;
  }
  return crc >>> 0;
});
