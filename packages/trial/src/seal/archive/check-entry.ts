import { sealError } from "../errors.js";
import type { SealLimits } from "../limits.js";
import { display } from "../names/display.js";
import { findLinkProblem } from "../names/link.js";
import { findPathProblem } from "../names/path.js";

/** Refuses a path that must not be created in the lab. @throws PATH_REFUSED naming the path */
export const checkSealedPath = (path: string, limits: SealLimits): void => {
  const problem = findPathProblem(path, limits);
  if (problem === undefined) return;
  throw sealError("PATH_REFUSED", `${display(path)}: ${problem}`, {
    fix: "rename or remove it in a commit of its own",
  });
};

/** Refuses a symbolic link that could lead out of the sealed tree. @throws SYMLINK_REFUSED */
export const checkSealedLink = (path: string, target: Buffer, limits: SealLimits): string => {
  const text = target.toString("utf8");
  const problem = Buffer.from(text).equals(target)
    ? findLinkProblem(path, text, limits.linkBytes)
    : "NOT_UTF8";
  if (problem === undefined) return text;
  throw sealError("SYMLINK_REFUSED", `${display(path)} -> ${display(target)}: ${problem}`, {
    fix: "point it to a path inside the sealed tree, or remove it",
  });
};

/** A pointer is below 1024 bytes by git-lfs's specification; larger blobs are never looked at. */
export const LFS_POINTER_BYTES = 1024;

const LFS_POINTER =
  /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v[0-9]+\n(?:[^\n]*\n)*oid sha256:[0-9a-f]{64}\n/;

/** Refuses a file whose real contents live on an LFS server. @throws LFS_POINTER */
export const checkNotLfsPointer = (path: string, contents: Buffer): void => {
  if (contents.length >= LFS_POINTER_BYTES || !LFS_POINTER.test(contents.toString("latin1"))) {
    return;
  }
  throw sealError("LFS_POINTER", `${display(path)} is a Git LFS pointer, not the file`, {
    fix: "run git lfs pull and seal with --working-tree, or remove the file from LFS",
  });
};

export const checkFileSize = (path: string, size: number, limits: SealLimits): void => {
  if (size <= limits.fileBytes) return;
  throw sealError("SOURCE_LIMIT", `${display(path)} has ${size} bytes; the bound is fileBytes`, {
    fix: `keep single files below ${limits.fileBytes} bytes`,
  });
};

export const checkTotals = (files: number, bytes: number, limits: SealLimits): void => {
  if (files > limits.files) {
    throw sealError("SOURCE_LIMIT", `more than ${limits.files} files; the bound is files`, {
      fix: "seal a subdirectory",
    });
  }
  if (bytes > limits.totalBytes) {
    throw sealError("SOURCE_LIMIT", `more than ${limits.totalBytes} bytes in total`, {
      fix: "seal a subdirectory",
    });
  }
};
