import { statSync } from "node:fs";
import { objectPath, type Store, type StoredObject } from "../../store/index.js";
import type { DebRef } from "../deb/control.js";
import { unpackDeb } from "../deb/unpack.js";
import { writeErofs } from "../erofs/write.js";
import { imageError } from "../errors.js";
import type { Report } from "../progress.js";
import type { Tools } from "../tools.js";
import { readContent } from "../tree/content.js";
import { lookup, place, resolveInTree } from "../tree/edit.js";
import {
  bytesContent,
  type DirectoryNode,
  directory,
  file,
  regionContent,
  rootOwned,
  symlink,
} from "../tree/node.js";
import { openSpool } from "../tree/spool.js";
import { busyboxApplets } from "./applets.js";
import { digestFiles, type HostNode, type HostNpm, readNpm } from "./host-node.js";
import { addLabDirectories, addSystemFiles, MERGED_LINKS } from "./system.js";

/** Documentation and translations make half of a package and nothing runs them. */
const LEFT_OUT = [
  "/usr/share/doc/",
  "/usr/share/doc-base/",
  "/usr/share/info/",
  "/usr/share/lintian/",
  "/usr/share/linda/",
  "/usr/share/locale/",
  "/usr/share/man/",
  "/usr/share/bug/",
];

/** Links that maintainer scripts would have made through update-alternatives: [link, target]. */
const ALTERNATIVES = [
  ["/usr/bin/cc", "gcc"],
  ["/usr/bin/c++", "g++"],
  ["/usr/bin/awk", "gawk"],
  ["/usr/bin/awk", "mawk"],
  ["/usr/bin/pager", "less"],
  ["/usr/bin/sh", "dash"],
] as const;

const MAX_BUSYBOX_BYTES = 16 * 1024 * 1024;

export interface RootInputs {
  readonly recipe: string;
  readonly packages: readonly DebRef[];
  readonly node: HostNode;
  readonly npm: HostNpm;
}

/** Packages, busybox for every command they don't have, Node, npm and the lab's own files. */
export const buildRoot = async (
  store: Store,
  tools: Tools,
  inputs: RootInputs,
  report: Report,
): Promise<StoredObject> => {
  using spool = openSpool(store);
  const root = directory();
  for (const [link, target] of MERGED_LINKS) place(root, link, symlink(target));
  for (const [index, deb] of inputs.packages.entries()) {
    report({ step: "unpack", detail: `${index + 1}/${inputs.packages.length} ${deb.name}` });
    await unpackDeb(store, tools, spool, root, deb, {
      keep: (path) => !LEFT_OUT.some((prefix) => `${path}/`.startsWith(prefix)),
    });
  }
  addNode(store, root, inputs.node);
  addNpm(root, inputs.npm);
  addAlternatives(root);
  addBusybox(root);
  // Once more, for what only busybox has.
  addAlternatives(root);
  addSystemFiles(root);
  addLabDirectories(root);
  report({ step: "write", detail: `${inputs.recipe} root file system` });
  return writeErofs(store, root, "root");
};

const addNode = (store: Store, root: DirectoryNode, node: HostNode): void =>
  place(root, "/usr/bin/node", nodeFile(store, node));

export const nodeFile = (store: Store, node: HostNode) => {
  const path = objectPath(store, node.digest);
  return file(regionContent(path, 0, statSync(path).size), rootOwned(0o755));
};

const addNpm = (root: DirectoryNode, npm: HostNpm): void => {
  const files = readNpm(npm.directory);
  if (digestFiles(files) !== npm.digest) {
    throw imageError("IMAGE_INPUT", `${npm.directory} changed during the build`, {
      fix: "Build again when npm is not being upgraded.",
    });
  }
  for (const { path, bytes, executable } of files) {
    const mode = rootOwned(executable ? 0o755 : 0o644);
    place(root, `/usr/lib/node_modules/npm/${path}`, file(bytesContent(bytes), mode));
  }
  place(root, "/usr/bin/npm", symlink("../lib/node_modules/npm/bin/npm-cli.js"));
  place(root, "/usr/bin/npx", symlink("../lib/node_modules/npm/bin/npx-cli.js"));
};

const addAlternatives = (root: DirectoryNode): void => {
  for (const [link, target] of ALTERNATIVES) {
    const absent = lookup(root, link.split("/").slice(1)) === undefined;
    if (absent && resolveInTree(root, `/usr/bin/${target}`) !== undefined) {
      place(root, link, symlink(target));
    }
  }
};

const addBusybox = (root: DirectoryNode): void => {
  const busybox = resolveInTree(root, "/bin/busybox");
  if (busybox?.kind !== "file") {
    throw imageError("IMAGE_PACKAGE", "busybox-static does not contain /bin/busybox");
  }
  for (const applet of busyboxApplets(readContent(busybox.content, MAX_BUSYBOX_BYTES))) {
    const taken = ["/usr/bin", "/usr/sbin"].some(
      (folder) => resolveInTree(root, `${folder}/${applet}`) !== undefined,
    );
    if (!taken) place(root, `/usr/bin/${applet}`, symlink("busybox"));
  }
};
