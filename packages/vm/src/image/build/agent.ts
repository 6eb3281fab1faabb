import { readFileSync } from "node:fs";
import { type Digest, objectPath, type Store, type StoredObject } from "../../store/index.js";
import type { DebRef } from "../deb/control.js";
import { unpackDeb } from "../deb/unpack.js";
import { writeErofs } from "../erofs/write.js";
import { imageError } from "../errors.js";
import type { Tools } from "../tools.js";
import { readContent } from "../tree/content.js";
import { place, resolveInTree } from "../tree/edit.js";
import {
  bytesContent,
  type DirectoryNode,
  directory,
  type FileNode,
  file,
  rootOwned,
} from "../tree/node.js";
import { openSpool } from "../tree/spool.js";
import { neededLibraries } from "./elf.js";
import type { HostNode } from "./host-node.js";
import { nodeFile } from "./root.js";
import { MERGED_LINKS } from "./system.js";

const LIBRARY_FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"] as const;
const LOADER = "ld-linux-x86-64.so.2";
const EMPTY_DIRECTORIES = ["/dev", "/etc", "/proc", "/run", "/sys", "/tmp"];
const MAX_LIBRARY_BYTES = 64 * 1024 * 1024;

export interface AgentInputs {
  readonly libraries: readonly DebRef[];
  readonly node: HostNode;
  readonly bundle: Digest;
  readonly native: Digest;
}

/** The file system that the agent runs from, apart from the image that the command sees. */
export const buildAgent = async (
  store: Store,
  tools: Tools,
  inputs: AgentInputs,
): Promise<StoredObject> => {
  using spool = openSpool(store);
  const packages = await unpackLibraries(store, tools, spool, inputs.libraries);
  const root = directory();
  for (const path of EMPTY_DIRECTORIES) place(root, path, directory());
  place(root, "/bin/node", nodeFile(store, inputs.node));
  place(root, "/bin/drydock-native", objectFile(store, inputs.native, 0o755));
  place(root, "/agent.js", objectFile(store, inputs.bundle, 0o644));
  const node = readFileSync(objectPath(store, inputs.node.digest));
  for (const [name, library] of libraryClosure(packages, node)) {
    const folder = name === LOADER ? "/lib64" : "/lib/x86_64-linux-gnu";
    place(root, `${folder}/${name}`, library);
  }
  return writeErofs(store, root, "agent");
};

export const unpackLibraries = async (
  store: Store,
  tools: Tools,
  spool: ReturnType<typeof openSpool>,
  libraries: readonly DebRef[],
): Promise<DirectoryNode> => {
  const packages = directory();
  for (const [link, target] of MERGED_LINKS) {
    place(packages, link, { kind: "symlink", attributes: rootOwned(0o777), target });
  }
  for (const deb of libraries) {
    await unpackDeb(store, tools, spool, packages, deb, {
      keep: (path) => LIBRARY_FOLDERS.some((folder) => path.startsWith(`${folder}/`)),
    });
  }
  return packages;
};

/**
 * The shared objects that Node needs, found in Debian's packages and not on the host: what `ldd`
 * would list, but taken from files whose digests are recorded.
 */
export const libraryClosure = (
  packages: DirectoryNode,
  node: Buffer,
): ReadonlyMap<string, FileNode> => {
  const found = new Map<string, FileNode>();
  const pending = [...neededLibraries(node, "Node"), LOADER];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const library = findLibrary(packages, name);
    if (library === undefined) {
      throw imageError(
        "IMAGE_INPUT",
        `Node needs ${name}, which libc6, libstdc++6 and libgcc-s1 lack`,
        {
          fix: "Run Drydock with an official build of Node, which needs no other libraries.",
        },
      );
    }
    found.set(name, library);
    pending.push(...neededLibraries(readContent(library.content, MAX_LIBRARY_BYTES), name));
  }
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
};

const findLibrary = (packages: DirectoryNode, name: string): FileNode | undefined => {
  for (const folder of LIBRARY_FOLDERS) {
    const node = resolveInTree(packages, `${folder}/${name}`);
    if (node?.kind === "file") return file(node.content, rootOwned(0o755));
  }
  return undefined;
};

const objectFile = (store: Store, digest: Digest, mode: number): FileNode =>
  file(bytesContent(readFileSync(objectPath(store, digest))), rootOwned(mode));
