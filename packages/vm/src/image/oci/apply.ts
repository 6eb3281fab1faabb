import { imageError, quote } from "../errors.js";
import { parentOf } from "../tree/edit.js";
import { type DirectoryNode, directory, file, symlink } from "../tree/node.js";
import { hardLinkTarget } from "./hard-link.js";
import type { Layer, LayerEntry } from "./layer.js";

/** Lays a layer over the tree of those below it: whiteouts first, whatever their place in it. */
export const applyLayer = (root: DirectoryNode, layer: Layer): void => {
  for (const path of layer.opaque) directoryBelow(root, path)?.entries.clear();
  for (const path of layer.hidden) {
    directoryBelow(root, path.slice(0, -1))?.entries.delete(path.at(-1) ?? "");
  }
  for (const entry of layer.entries) applyEntry(root, entry);
};

/** The directory a whiteout speaks of; hiding something that is not there is no error (OCI 1.1). */
const directoryBelow = (
  root: DirectoryNode,
  path: readonly string[],
): DirectoryNode | undefined => {
  let node: DirectoryNode = root;
  for (const component of path) {
    const next = node.entries.get(component);
    if (next === undefined || next.kind === "file") return undefined;
    if (next.kind === "symlink") {
      throw imageError(
        "IMAGE_WHITEOUT",
        `a whiteout goes through the link ${quote(path.join("/"))}`,
      );
    }
    node = next;
  }
  return node;
};

const applyEntry = (root: DirectoryNode, { path, attributes, what }: LayerEntry): void => {
  if (path.length === 0) {
    root.attributes = attributes;
    return;
  }
  const { parent, name } = parentOf(root, path);
  switch (what.kind) {
    case "directory": {
      const existing = parent.entries.get(name);
      if (existing?.kind === "directory") existing.attributes = attributes;
      else parent.entries.set(name, directory(attributes));
      return;
    }
    case "file":
      parent.entries.set(name, file(what.content, attributes));
      return;
    case "symlink":
      parent.entries.set(name, symlink(what.target, attributes));
      return;
    case "hardlink":
      parent.entries.set(name, hardLinkTarget(root, path, what.target));
      return;
  }
};
