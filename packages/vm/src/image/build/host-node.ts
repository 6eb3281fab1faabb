import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import {
  adoptFile,
  type Digest,
  digestOfHex,
  type Store,
  storeIoError,
  temporaryPath,
} from "../../store/index.js";
import { imageError } from "../errors.js";

export interface HostNode {
  readonly version: string;
  readonly digest: Digest;
}

export interface HostNpm {
  readonly directory: string;
  readonly version: string;
  readonly digest: Digest;
}

/** npm has about 2,300 files and 11 MiB. */
const MAX_NPM_FILES = 20_000;

/**
 * Copies the Node that runs this process into the store, so that what is hashed is what is built
 * in, even when an upgrade replaces the file meanwhile.
 */
export const captureNode = async (
  store: Store,
  executable: string,
  version: string,
): Promise<HostNode> => {
  const temporary = temporaryPath(store);
  try {
    copyFileSync(executable, temporary);
  } catch (cause) {
    throw storeIoError("copy", executable, cause);
  }
  const { digest } = await adoptFile(store, temporary);
  return { version, digest };
};

/** Finds the npm that belongs to a Node executable; the layouts of Node's own and Debian's builds. */
export const locateNpm = (executable: string): HostNpm => {
  const prefix = dirname(dirname(realpathSync(executable)));
  const candidates = [
    join(prefix, "lib/node_modules/npm"),
    "/usr/lib/node_modules/npm",
    "/usr/local/lib/node_modules/npm",
    "/usr/share/nodejs/npm",
  ];
  const directory = candidates.find((path) => existsSync(join(path, "package.json")));
  if (directory === undefined) {
    throw imageError("IMAGE_INPUT", `no npm found beside ${executable}`, {
      fix: "Install npm for the Node that runs Drydock, e.g. `apt-get install nodejs`.",
    });
  }
  const { version } = z
    .looseObject({ version: z.string().max(64) })
    .parse(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")));
  return { directory, version, digest: digestFiles(readNpm(directory)) };
};

export interface HostFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** npm's files, sorted. Links are left out: npm ships none that it needs. */
export const readNpm = (directory: string): readonly HostFile[] => {
  const files: HostFile[] = [];
  const visit = (relative: string): void => {
    for (const entry of readdirSync(join(directory, relative), { withFileTypes: true })) {
      const path = join(relative, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) {
        const bytes = readFileSync(join(directory, path));
        files.push({ path, bytes, executable: isScript(path, bytes) });
      }
      if (files.length > MAX_NPM_FILES) {
        throw imageError("IMAGE_BOUND", `${directory} has more than ${MAX_NPM_FILES} files`);
      }
    }
  };
  visit("");
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
};

export const digestFiles = (files: readonly HostFile[]): Digest => {
  const hash = createHash("sha256");
  for (const { path, bytes, executable } of files) {
    hash.update(`${JSON.stringify(path)} ${executable} ${bytes.length}\n`).update(bytes);
  }
  return digestOfHex(hash.digest("hex"));
};

/** Decided by content, because package managers differ in which of npm's files they mark. */
const isScript = (path: string, bytes: Buffer): boolean =>
  bytes.toString("latin1", 0, 2) === "#!" || basename(dirname(path)) === "bin";
