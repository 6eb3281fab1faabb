import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isDrydockError } from "@drydock/evidence";
import { sealError } from "../errors.js";
import { display } from "../names/display.js";
import { errorCode, readSmallFile } from "./read-file.js";

/** Where a repository's parts are. All paths are real paths. */
export interface RepositoryLocation {
  /** The work tree's top, or undefined for a bare repository. */
  readonly workTree: string | undefined;
  /** Holds HEAD and index: `.git`, or `.git/worktrees/NAME` of a linked work tree. */
  readonly gitDirectory: string;
  /** Holds objects and refs. */
  readonly commonDirectory: string;
  /** The directory asked for, relative to the work tree: "" for its top. */
  readonly prefix: string;
}

/** PATH_MAX / 2 names is the deepest path there can be; git files hold one line. */
const MAX_LEVELS = 2048;
const GIT_FILE_BYTES = 8192;

/**
 * Finds the repository of a directory by looking, as git does, at the directory and the ones above
 * it. Nothing in it is executed and its configuration is not opened, so `core.worktree` and
 * `include` have no say.
 *
 * @throws SOURCE_NOT_FOUND, NOT_A_REPOSITORY, REPOSITORY_REDIRECTED, REPOSITORY_AMBIGUOUS.
 */
export const locateRepository = (directory: string): RepositoryLocation => {
  const start = realDirectory(directory);
  if (start.split("/").includes(".git")) {
    throw sealError("NOT_A_REPOSITORY", `${display(start)} is inside a .git directory`, {
      fix: "give the work tree's directory",
    });
  }
  const bare = looksBare(start);
  let top = start;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const dotGit = status(join(top, ".git"));
    if (dotGit !== undefined) {
      if (bare) throw ambiguous(start, top);
      return describe(top, dotGit, relative(top, start));
    }
    if (dirname(top) === top) break;
    top = dirname(top);
  }
  if (bare) {
    refuseRedirects(start);
    return { workTree: undefined, gitDirectory: start, commonDirectory: start, prefix: "" };
  }
  throw sealError("NOT_A_REPOSITORY", `${display(start)} is in no git repository`, {
    fix: "run git init and commit, or seal the files as they are with --working-tree",
  });
};

/** The same, undefined where there is no repository; a redirected one is still an error. */
export const tryLocateRepository = (directory: string): RepositoryLocation | undefined => {
  try {
    return locateRepository(directory);
  } catch (error) {
    if (isDrydockError(error) && error.code === "NOT_A_REPOSITORY") return undefined;
    throw error;
  }
};

/** @throws SOURCE_NOT_FOUND, SOURCE_UNREADABLE */
export const realDirectory = (directory: string): string => {
  let real: string;
  try {
    real = realpathSync(directory);
  } catch (cause) {
    const code = errorCode(cause);
    throw sealError(
      code === "ENOENT" || code === "ENOTDIR" ? "SOURCE_NOT_FOUND" : "SOURCE_UNREADABLE",
      `cannot open ${display(directory)}: ${code}`,
      { fix: "check the path given with --source", cause },
    );
  }
  if (lstatSync(real).isDirectory()) return real;
  throw sealError("SOURCE_NOT_FOUND", `${display(directory)} is not a directory`, {
    fix: "give a directory, a git URL or a bundle file",
  });
};

const describe = (top: string, dotGit: Stats, prefix: string): RepositoryLocation => {
  const path = join(top, ".git");
  if (dotGit.isDirectory()) {
    if (!looksBare(path)) {
      throw sealError("NOT_A_REPOSITORY", `${display(path)} is not a complete repository`, {
        fix: "seal the files as they are with --working-tree",
      });
    }
    refuseRedirects(path);
    return { workTree: top, gitDirectory: path, commonDirectory: path, prefix };
  }
  if (!dotGit.isFile()) throw redirected(path, "it is neither a directory nor a file");
  return linkedWorkTree(top, path, prefix);
};

/**
 * A `.git` file is believed only when both ends agree (gitrepository-layout(5)): it names
 * COMMON/worktrees/NAME, whose `gitdir` names this file and whose `commondir` leads to COMMON.
 */
const linkedWorkTree = (top: string, path: string, prefix: string): RepositoryLocation => {
  const named = /^gitdir: (.+)$/s.exec(oneLine(path))?.[1];
  if (named === undefined) throw redirected(path, "it does not say gitdir: PATH");
  const gitDirectory = resolve(top, named);
  const common = dirname(dirname(gitDirectory));
  const genuine =
    isRealDirectory(gitDirectory) &&
    join(common, "worktrees") === dirname(gitDirectory) &&
    resolve(gitDirectory, oneLine(join(gitDirectory, "commondir"))) === common &&
    resolve(gitDirectory, oneLine(join(gitDirectory, "gitdir"))) === path &&
    looksBare(common);
  if (!genuine) throw redirected(path, "it points to a repository that does not point back");
  refuseRedirects(common);
  return { workTree: top, gitDirectory, commonDirectory: common, prefix };
};

/** Parts of a repository that are links would lead git somewhere the receipt does not name. */
const refuseRedirects = (repository: string): void => {
  for (const name of ["objects", "objects/pack", "objects/info", "refs", "HEAD", "packed-refs"]) {
    if (status(join(repository, name))?.isSymbolicLink() === true) {
      throw redirected(join(repository, name), "it is a symbolic link");
    }
  }
  if (status(join(repository, "commondir")) !== undefined) {
    throw redirected(join(repository, "commondir"), "only a linked work tree has one");
  }
};

const looksBare = (directory: string): boolean =>
  status(join(directory, "HEAD")) !== undefined &&
  status(join(directory, "objects")) !== undefined &&
  status(join(directory, "refs")) !== undefined;

const isRealDirectory = (path: string): boolean =>
  status(path)?.isDirectory() === true && realpathSync(path) === path;

const status = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw sealError("SOURCE_UNREADABLE", `cannot look at ${display(path)}: ${errorCode(cause)}`, {
      fix: "check the permissions of the directories above it",
      cause,
    });
  }
};

const oneLine = (path: string): string =>
  (readSmallFile(path, GIT_FILE_BYTES)?.toString("utf8") ?? "").replace(/\n$/, "");

const redirected = (path: string, why: string): Error =>
  sealError("REPOSITORY_REDIRECTED", `${display(path)}: ${why}`, {
    fix: "give the directory of the repository itself, or clone it",
  });

const ambiguous = (bare: string, top: string): Error =>
  sealError(
    "REPOSITORY_AMBIGUOUS",
    `${display(bare)} looks like a bare repository inside ${display(top)}`,
    { fix: "clone the one you mean and seal the clone" },
  );
