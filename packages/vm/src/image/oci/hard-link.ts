import { imageError, quote } from "../errors.js";
import { lookup } from "../tree/edit.js";
import type { DirectoryNode, TreeNode } from "../tree/node.js";

/** A hard link names a file of the image by its exact path; no link on the way is followed. */
export const hardLinkTarget = (
  root: DirectoryNode,
  path: readonly string[],
  target: readonly string[],
): TreeNode => {
  const found = lookup(root, target);
  if (found?.kind === "file") return found;
  throw imageError(
    "IMAGE_LINK",
    `${quote(path.join("/"))} is a hard link to ${quote(target.join("/"))}, which is ${found === undefined ? "no file of the image" : `a ${found.kind}`}`,
  );
};
