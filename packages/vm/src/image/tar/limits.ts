/** What an archive may cost. A limit that is reached refuses the archive; nothing is cut. */
export interface ArchiveLimits {
  /** Bytes of file content in all. */
  readonly bytes: number;
  readonly entries: number;
  readonly depth: number;
  /** Bytes of uncompressed archive per compressed byte, beyond the slack. */
  readonly ratio: number;
  readonly ratioSlackBytes: number;
}

const GIB = 1024 ** 3;

export const DEFAULT_LIMITS: ArchiveLimits = {
  // The largest images in common use (machine learning ones apart) unpack to a few GiB.
  bytes: 16 * GIB,
  // A full Debian desktop has about 300,000; each costs about 0.5 KiB of memory here.
  entries: 500_000,
  // Deeper trees occur only as attacks on programs that recurse.
  depth: 64,
  // Real layers compress 2 to 20 times, deflate at most 1,032 times.
  ratio: 200,
  ratioSlackBytes: 64 * 1024 * 1024,
};
