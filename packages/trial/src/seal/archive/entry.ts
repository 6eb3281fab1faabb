/** One member of a sealed archive. Nothing else about a file is carried: no owner, no times. */
export type ArchiveEntry =
  | { readonly kind: "directory"; readonly path: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly size: number;
      readonly executable: boolean;
    }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

export interface ArchiveCounts {
  readonly files: number;
  readonly directories: number;
  readonly links: number;
  /** Sum of file contents. */
  readonly bytes: number;
}

/** Order of bytes, so that it does not depend on a locale and a parent precedes its children. */
export const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));

/** The directories that `paths` imply, parents first. */
export const impliedDirectories = (paths: Iterable<string>): string[] => {
  const directories = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return [...directories];
};
