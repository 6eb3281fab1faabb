import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "@drydock/testkit";
import { extract } from "tar-stream";
import { directGitRunner } from "../git/direct-runner.js";
import { SEAL_LIMITS } from "../limits.js";
import { sealSource } from "../seal.js";
import type { SourceRequest } from "../source/request.js";
import type { SealedSource, SealPorts } from "../source/result.js";

type Test = { after(fn: () => void): void };

/** Runs real git as its users do: with the repository's own configuration in force. */
export const git = (directory: string, ...args: string[]): string =>
  execFileSync("/usr/bin/git", args, {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      PATH: "/usr/bin:/bin",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
    },
  }).trim();

/** Like `git`, for commands whose failure does not matter: only what they leave behind does. */
export const tryGit = (directory: string, ...args: string[]): void => {
  spawnSync("/usr/bin/git", args, { cwd: directory, stdio: "ignore" });
};

export const writeFiles = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), contents);
  }
};

/** A repository with these files committed on `main`. */
export const makeRepository = (
  test: Test,
  files: Readonly<Record<string, string>> = { "a.txt": "a\n", "src/b.txt": "b\n" },
): string => {
  const directory = temporaryDirectory(test);
  git(directory, "init", "-q", "-b", "main");
  writeFiles(directory, files);
  git(directory, "add", "-A", "-f");
  git(directory, "commit", "-q", "-m", "first", "--allow-empty");
  return directory;
};

export const makePorts = (test: Test, overrides: Partial<SealPorts> = {}): SealPorts => ({
  git: directGitRunner(),
  workspace: mkdtempSync(join(temporaryDirectory(test), "workspace-")),
  limits: SEAL_LIMITS,
  ...overrides,
});

export const seal = (
  test: Test,
  request: SourceRequest,
  overrides: Partial<SealPorts> = {},
): Promise<SealedSource> => sealSource(request, makePorts(test, overrides));

export const sealHead = (
  test: Test,
  path: string,
  overrides: Partial<SealPorts> = {},
): Promise<SealedSource> => seal(test, { kind: "directory", path, ref: "HEAD" }, overrides);

/** What another implementation reads from a tar file: "type mode path -> target = contents". */
export const listArchive = async (path: string): Promise<string[]> => {
  const reader = extract();
  reader.end(readFileSync(path));
  const lines: string[] = [];
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const { name, type, mode, linkname } = entry.header;
    const link = linkname ? ` -> ${linkname}` : "";
    const contents = type === "file" ? ` = ${Buffer.concat(chunks).toString("utf8")}` : "";
    lines.push(`${type} ${(mode ?? 0).toString(8)} ${name}${link}${contents}`);
  }
  return lines;
};
