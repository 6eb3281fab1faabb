/** What a work tree holds beyond the sealed commit, in files. */
export interface Uncommitted {
  /** Different from the commit and added to the index. */
  readonly staged: number;
  /** Different from the index, deleted files included. */
  readonly modified: number;
  /** Neither in the index nor ignored. */
  readonly untracked: number;
  readonly conflicted: number;
}

/**
 * Counts the entries of `git status --porcelain=v2 -z --no-renames`, or undefined when the output
 * is not of that form.
 */
export const countUncommitted = (output: string): Uncommitted | undefined => {
  const counts = { staged: 0, modified: 0, untracked: 0, conflicted: 0 };
  if (output !== "" && !output.endsWith("\0")) return undefined;
  for (const line of output.split("\0").slice(0, -1)) {
    switch (line[0]) {
      case "1":
        if (line[2] !== ".") counts.staged += 1;
        if (line[3] !== ".") counts.modified += 1;
        break;
      case "u":
        counts.conflicted += 1;
        break;
      case "?":
        counts.untracked += 1;
        break;
      default:
        return undefined;
    }
  }
  return counts;
};
