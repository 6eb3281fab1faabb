import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DrydockError } from "@drydock/evidence";

/** Where Drydock's own code lies. The entry point knows; everything else is told. */
export interface Program {
  /** Directory under which all of the code lies. It may be a user's project, and private. */
  readonly root: string;
  /** Paths under `root` that the processes see, such as "/node_modules": nothing else of it. */
  readonly parts: readonly string[];
  /** Absolute paths under `root`. */
  readonly controller: string;
  readonly port: string;
  readonly egress: string;
  readonly reaper: string;
  readonly agentBundle: string;
  readonly nativeSource: string;
  readonly version: string;
  /** `sha256:` digest over the code that runs. */
  readonly digest: () => string;
}

/** The nearest directory above `from` whose node_modules holds the compiled SQLite binding. */
export const findProgramRoot = (from: string): string => {
  for (let directory = from; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "node_modules", "better-sqlite3"))) return directory;
    if (directory === dirname(directory))
      throw new DrydockError("PROGRAM_INCOMPLETE", `no node_modules above ${from}`, {
        fix: "Install Drydock again with `npm install`.",
      });
  }
};

const READABLE = 0o004;
const ENTERABLE = 0o005;

/**
 * Controller, port process and broker have users of their own, who have to be able to read the code. The
 * directories above the parts don't matter: the parts are mounted.
 *
 * @throws DrydockError PROGRAM_PRIVATE
 */
export const requireReadable = ({ root, parts, controller, port, egress }: Program): void => {
  for (const file of [controller, port, egress]) {
    const part = parts.find((name) => file.startsWith(`${root}${name}/`)) ?? "";
    for (let path = file; path.length >= `${root}${part}`.length; path = dirname(path)) {
      const needed = path === file ? READABLE : ENTERABLE;
      if ((statSync(path).mode & needed) === needed) continue;
      throw new DrydockError("PROGRAM_PRIVATE", `other users can't read ${path}`, {
        fix: `chmod -R go+rX ${root}${part}`,
      });
    }
  }
};

/** Digest of a large file that hardly ever changes, remembered by its identity. */
export const cachedFileDigest = async (path: string, cacheDirectory: string): Promise<string> => {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const identity = [path, dev, ino, size, mtimeNs, ctimeNs].join("\n");
  const name = createHash("sha256").update(identity).digest("hex").slice(0, 32);
  const entry = join(cacheDirectory, `${name}.digest`);
  if (existsSync(entry)) {
    const known = readFileSync(entry, "utf8");
    if (/^sha256:[0-9a-f]{64}$/.test(known)) return known;
  }
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  const digest = `sha256:${hash.digest("hex")}`;
  mkdirSync(cacheDirectory, { recursive: true, mode: 0o700 });
  const draft = `${entry}.${process.pid}`;
  writeFileSync(draft, digest, { mode: 0o600 });
  renameSync(draft, entry);
  return digest;
};
