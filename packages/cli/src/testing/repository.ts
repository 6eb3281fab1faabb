import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ending } from "./home.js";

/** A path in the source tree, from its root. */
export const inTree = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Real git, with nobody's configuration. */
export const git = (directory: string, ...args: string[]): string =>
  execFileSync("git", args, {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
    },
  }).trim();

/** A repository whose one commit holds a copy of `directory`. */
export const repositoryOf = (directory: string, test: Ending): string => {
  const copy = mkdtempSync(join(tmpdir(), "drydock-source-"));
  test.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(directory, copy, { recursive: true });
  git(copy, "init", "-q", "-b", "main");
  git(copy, "add", "-A");
  git(copy, "commit", "-q", "-m", "All of it");
  return copy;
};
