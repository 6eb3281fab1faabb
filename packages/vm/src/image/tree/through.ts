import { imageError, quote } from "../errors.js";
import type { DirectoryNode, TreeNode } from "./node.js";

/**
 * An entry lies below directories only. One whose parent is a link would land wherever the link
 * points, under a second spelling of its path; that is how archives escape.
 */
export const requireDirectory = (parent: TreeNode, path: readonly string[]): DirectoryNode => {
  if (parent.kind === "directory") return parent;
  throw imageError("IMAGE_LINK", `${quote(path.join("/"))} lies below a ${parent.kind}`, {
    fix: "Use an image whose entries lie below real directories.",
  });
};
