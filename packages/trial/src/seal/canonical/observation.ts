/** What the canonical checkout was at one moment. Digests are `sha256:` and 64 hex digits. */
export interface CanonicalObservation {
  readonly pathIdentity: {
    readonly realpath: string;
    /** Decimal: device and inode numbers may exceed 2^53. */
    readonly device: string;
    readonly inode: string;
  };
  /** HEAD's text, null without a repository. */
  readonly head: string | null;
  readonly index: string | null;
  /** Names, metadata and contents of the files that the index lists. */
  readonly tree: string;
  /** The same of all other files, ignored ones included. */
  readonly untracked: string;
  readonly refs: string | null;
  /** config, hooks and info: what would make a later git command run something. */
  readonly configuration: string | null;
  readonly coverage: {
    readonly entries: number;
    /** Bytes of file contents that went into the digests; beyond the bound only metadata did. */
    readonly contentBytes: number;
    /** False when a bound cut the walk or the contents short. */
    readonly complete: boolean;
  };
}

export type CanonicalField = Exclude<keyof CanonicalObservation, "coverage">;
