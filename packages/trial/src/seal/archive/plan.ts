import { sealError } from "../errors.js";
import type { TreeEntry } from "../git/parse-tree.js";
import type { SealLimits } from "../limits.js";
import { display } from "../names/display.js";
import { checkFileSize, checkSealedPath, checkTotals } from "./check-entry.js";
import { byPath, impliedDirectories } from "./entry.js";

export type PlannedEntry =
  | { readonly kind: "directory"; readonly path: string }
  | Exclude<TreeEntry, { readonly kind: "gitlink" }>;

/**
 * What the archive will hold, in order: everything that the tree holds below `prefix` ("" for
 * all), with paths relative to it. Pure; contents are checked when they are read.
 *
 * @throws SUBMODULE_UNSUPPORTED, PATH_REFUSED, SOURCE_LIMIT, SOURCE_CORRUPT naming the path.
 */
export const planArchive = (
  tree: readonly TreeEntry[],
  prefix: string,
  limits: SealLimits,
): PlannedEntry[] => {
  const planned = new Map<string, PlannedEntry>();
  let bytes = 0;
  for (const entry of tree) {
    const path = relativeTo(prefix, entry.path);
    if (path === undefined) continue;
    checkSealedPath(path, limits);
    if (entry.kind === "gitlink") throw submodule(path);
    if (planned.has(path)) throw sealError("SOURCE_CORRUPT", `${display(path)} is listed twice`);
    if (entry.kind === "file") checkFileSize(path, entry.size, limits);
    planned.set(path, { ...entry, path });
    bytes += entry.size;
    checkTotals(planned.size, bytes, limits);
  }
  for (const directory of impliedDirectories([...planned.keys()])) {
    if (planned.has(directory)) {
      throw sealError("SOURCE_CORRUPT", `${display(directory)} is a file and a directory`);
    }
    planned.set(directory, { kind: "directory", path: directory });
  }
  return [...planned.values()].sort(byPath);
};

const relativeTo = (prefix: string, path: string): string | undefined => {
  if (prefix === "") return path;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : undefined;
};

const submodule = (path: string): Error =>
  sealError("SUBMODULE_UNSUPPORTED", `${display(path)} is a submodule; its files are not here`, {
    fix: "run `git submodule update --init` in a clone and seal that with --working-tree (a weaker claim, eligible for no tier), or commit its files in place of the link (`git rm --cached PATH`, remove PATH/.git, `git add PATH`) on a branch and name that with --ref",
  });
