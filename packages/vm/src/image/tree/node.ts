/**
 * A file system held in memory. Nothing from an archive is ever created on the host under a name
 * of the archive's choosing: contents lie in one numbered spool file, and the writer goes straight
 * from this tree to the image.
 */
export interface Attributes {
  /** Permission bits with setuid, setgid and sticky: 0 to 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Whole seconds since 1970, not negative. */
  readonly mtime: number;
}

export interface DirectoryNode {
  readonly kind: "directory";
  attributes: Attributes;
  readonly entries: Map<string, TreeNode>;
}

/** A hard link is the same node under two names. */
export interface FileNode {
  readonly kind: "file";
  readonly attributes: Attributes;
  readonly content: Content;
}

export interface SymlinkNode {
  readonly kind: "symlink";
  readonly attributes: Attributes;
  readonly target: string;
}

export type TreeNode = DirectoryNode | FileNode | SymlinkNode;

export type Content =
  | { readonly kind: "bytes"; readonly bytes: Buffer; readonly size: number }
  | {
      readonly kind: "region";
      readonly path: string;
      readonly offset: number;
      readonly size: number;
    };

export const EPOCH = 0;

export const rootOwned = (mode: number): Attributes => ({ mode, uid: 0, gid: 0, mtime: EPOCH });

export const directory = (attributes: Attributes = rootOwned(0o755)): DirectoryNode => ({
  kind: "directory",
  attributes,
  entries: new Map(),
});

export const file = (content: Content, attributes: Attributes): FileNode => ({
  kind: "file",
  attributes,
  content,
});

export const symlink = (target: string, attributes = rootOwned(0o777)): SymlinkNode => ({
  kind: "symlink",
  attributes,
  target,
});

export const bytesContent = (bytes: string | Buffer): Content => {
  const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  return { kind: "bytes", bytes: buffer, size: buffer.length };
};

export const regionContent = (path: string, offset: number, size: number): Content => ({
  kind: "region",
  path,
  offset,
  size,
});
