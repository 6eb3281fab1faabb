import { DrydockError } from "@drydock/evidence";
import { MAX_PATH_LENGTH } from "../limits.js";

/** Segments of a glob: `**` is any number of directories, else one segment's pattern. */
type Segment = { readonly kind: "any" } | { readonly kind: "one"; readonly pattern: string };

export interface Glob {
  /** Whether `path`, relative and with `/`, is matched. */
  matches(path: string): boolean;
  /** Whether something below the directory `path` could be matched: false prunes a walk. */
  mayMatchBelow(path: string): boolean;
}

/**
 * `*` and `?` stay within a segment, `**` as a whole segment crosses them; everything else is
 * literal. Matching is quadratic in the path at worst, never exponential.
 *
 * @throws DrydockError GLOB_INVALID for absolute, empty, `.` and `..` segments
 */
export const parseGlob = (glob: string): Glob => {
  const refuse = (what: string): never => {
    throw new DrydockError("GLOB_INVALID", `glob ${JSON.stringify(glob)}: ${what}`, {
      fix: "Give a pattern relative to the collected directory, such as dist/**/*.tgz.",
    });
  };
  if (glob.length === 0 || glob.length > MAX_PATH_LENGTH) refuse("empty or too long");
  const segments = glob.split("/").map((part): Segment => {
    if (part === "" || part === "." || part === "..") refuse(`segment "${part}"`);
    if (part.includes("\0")) refuse("NUL");
    return part === "**" ? { kind: "any" } : { kind: "one", pattern: part };
  });
  return {
    matches: (path) => reach(segments, path.split("/")).has(segments.length),
    mayMatchBelow: (path) =>
      path === "" || [...reach(segments, path.split("/"))].some((at) => at < segments.length),
  };
};

/** Whether `path` or a directory above it is matched: a matched directory stands for its content. */
export const globsSelect = (globs: readonly Glob[], path: string): boolean => {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
    const above = path.slice(0, end);
    if (globs.some((glob) => glob.matches(above))) return true;
  }
  return globs.some((glob) => glob.matches(path));
};

/** Positions in the pattern at which one can stand after the whole path was read. */
const reach = (segments: readonly Segment[], path: readonly string[]): ReadonlySet<number> => {
  let positions = withEmptyRuns(segments, new Set([0]));
  for (const name of path) {
    const next = new Set<number>();
    for (const at of positions) {
      const segment = segments[at];
      if (segment === undefined) continue;
      if (segment.kind === "any") next.add(at);
      else if (matchesName(segment.pattern, name)) next.add(at + 1);
    }
    positions = withEmptyRuns(segments, next);
  }
  return positions;
};

/** `**` also stands for no directory at all. */
const withEmptyRuns = (segments: readonly Segment[], positions: Set<number>): Set<number> => {
  for (const at of positions) if (segments[at]?.kind === "any") positions.add(at + 1);
  return positions;
};

/** Wildcards in one name, by backtracking to the last star only. */
const matchesName = (pattern: string, name: string): boolean => {
  let at = 0;
  let star = -1;
  let resume = 0;
  let read = 0;
  while (read < name.length) {
    const unit = pattern[at];
    if (unit === "*") {
      star = at;
      resume = read;
      at += 1;
    } else if (unit === "?" || unit === name[read]) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      read = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
};
