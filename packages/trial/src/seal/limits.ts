/**
 * Bounds of one sealed source. They are far above real projects and far below what would fill
 * the lab's 8 GiB disk or the host's memory; a source beyond one is refused with its name.
 */
export interface SealLimits {
  /** Files and symbolic links. */
  readonly files: number;
  /** Sum of file contents, in bytes. */
  readonly totalBytes: number;
  /** One file's contents, in bytes. */
  readonly fileBytes: number;
  /** A path inside the archive, in bytes of UTF-8; Linux's PATH_MAX is 4096 with the prefix. */
  readonly pathBytes: number;
  /** One name in a path: NAME_MAX of every file system in use. */
  readonly componentBytes: number;
  /** Names in a path. */
  readonly depth: number;
  /** A symbolic link's target, in bytes. */
  readonly linkBytes: number;
  /** A pack received from git, in bytes: contents plus history of a bundle. */
  readonly packBytes: number;
  /** Listings and error text that git prints, in bytes: 200 bytes for each of `files`. */
  readonly listingBytes: number;
  /** A local git call, in milliseconds. */
  readonly gitMs: number;
  /** A git call that talks to a remote, in milliseconds. */
  readonly remoteMs: number;
}

export const SEAL_LIMITS: SealLimits = {
  files: 200_000,
  totalBytes: 4 * 1024 ** 3,
  fileBytes: 1024 ** 3,
  pathBytes: 2048,
  componentBytes: 255,
  depth: 64,
  linkBytes: 1024,
  packBytes: 4 * 1024 ** 3,
  listingBytes: 40_000_000,
  gitMs: 120_000,
  remoteMs: 600_000,
};
