import { imageError } from "../errors.js";
import {
  type Attributes,
  type DirectoryNode,
  directory,
  rootOwned,
  type TreeNode,
} from "./node.js";
import { requireDirectory } from "./through.js";

/** More hops than Linux allows when it resolves a path (MAXSYMLINKS). */
const MAX_LINK_HOPS = 40;

/** The node at exactly this path; a symbolic link on the way is not followed. */
export const lookup = (root: DirectoryNode, path: readonly string[]): TreeNode | undefined => {
  let node: TreeNode | undefined = root;
  for (const component of path) {
    if (node?.kind !== "directory") return undefined;
    node = node.entries.get(component);
  }
  return node;
};

/** The directory that holds the last component, created where it is missing. */
export const parentOf = (
  root: DirectoryNode,
  path: readonly string[],
  attributes: Attributes = rootOwned(0o755),
): { readonly parent: DirectoryNode; readonly name: string } => {
  const name = path.at(-1);
  if (name === undefined) throw imageError("IMAGE_PATH", "the root itself has no parent");
  let node = root;
  for (const component of path.slice(0, -1)) {
    let next = node.entries.get(component);
    if (next === undefined) {
      next = directory(attributes);
      node.entries.set(component, next);
    }
    node = requireDirectory(next, path);
  }
  return { parent: node, name };
};

/** Puts a node at an absolute path of our own making; replaces what is there. */
export const place = (root: DirectoryNode, path: string, node: TreeNode): void => {
  const { parent, name } = parentOf(root, splitPath(path));
  parent.entries.set(name, node);
};

/** Resolves a path inside the tree as the guest's kernel will, links included. */
export const resolveInTree = (root: DirectoryNode, path: string): TreeNode | undefined => {
  let hops = 0;
  let pending = splitPath(path);
  let stack: DirectoryNode[] = [root];
  for (;;) {
    const [component, ...rest] = pending;
    const here = stack.at(-1) ?? root;
    if (component === undefined) return here;
    pending = rest;
    if (component === "..") {
      if (stack.length > 1) stack = stack.slice(0, -1);
      continue;
    }
    const next = here.entries.get(component);
    if (next === undefined) return undefined;
    switch (next.kind) {
      case "directory":
        stack = [...stack, next];
        break;
      case "symlink":
        hops += 1;
        if (hops > MAX_LINK_HOPS) return undefined;
        if (next.target.startsWith("/")) stack = [root];
        pending = [...splitPath(next.target), ...rest];
        break;
      case "file":
        return rest.length === 0 ? next : undefined;
    }
  }
};

export const splitPath = (path: string): string[] =>
  path.split("/").filter((component) => component !== "" && component !== ".");

/** Every node with its path, parents first, names in byte order. */
export const walk = function* (
  root: DirectoryNode,
  prefix = "",
): Generator<{ readonly path: string; readonly node: TreeNode }> {
  for (const name of sortedNames(root)) {
    const node = root.entries.get(name);
    if (node === undefined) continue;
    const path = `${prefix}/${name}`;
    yield { path, node };
    if (node.kind === "directory") yield* walk(node, path);
  }
};

/** UTF-16 order differs from byte order above U+FFFF, and the file system searches by bytes. */
export const sortedNames = ({ entries }: DirectoryNode): readonly string[] =>
  [...entries.keys()]
    .map((name) => ({ name, bytes: Buffer.from(name) }))
    .sort((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ name }) => name);
