/** Bounds of one collection; the first four are the manifest's, with its defaults. */
export interface ArtifactLimits {
  /** Files and symbolic links that are kept. */
  readonly files: number;
  /** Sum of their contents, in bytes. */
  readonly totalBytes: number;
  /** Names in a path. */
  readonly depth: number;
  readonly pathBytes: number;
  /** NAME_MAX of every file system in use. */
  readonly componentBytes: number;
  readonly linkBytes: number;
  /** Entries looked at, refused ones and directories included: a flood of those is cut here. */
  readonly entries: number;
  /** Body of one pax header: two paths and some numbers need less than a tenth of it. */
  readonly paxBytes: number;
  /** The whole stream: everything that the guest sends, kept or not. */
  readonly streamBytes: number;
}

const MIB = 1024 * 1024;

export const ARTIFACT_LIMITS: ArtifactLimits = {
  files: 256,
  totalBytes: 64 * MIB,
  depth: 32,
  pathBytes: 1024,
  componentBytes: 255,
  linkBytes: 1024,
  entries: 4096,
  paxBytes: 64 * 1024,
  streamBytes: 128 * MIB,
};
