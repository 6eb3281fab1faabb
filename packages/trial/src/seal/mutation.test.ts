import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runTestFileWithSwaps } from "@drydock/testkit";

/** Removing a guard must turn a test red; each row names the guard, what replaces it, and where. */
interface Mutation {
  readonly guard: string;
  readonly source: string;
  readonly test: string;
  readonly pattern: string;
}

const MUTATIONS: readonly Mutation[] = [
  {
    guard: "seal/git/environment.js",
    source: `export const gitEnvironment = () => ({ ...process.env, PATH: "/usr/bin:/bin" });`,
    test: "seal/traps.test.js",
    pattern: "ignores GIT_TRACE",
  },
  {
    guard: "seal/git/options.js",
    source: "export const gitOptions = () => [];",
    test: "seal/traps.test.js",
    pattern: "cannot start a monitor",
  },
  {
    guard: "seal/names/link.js",
    source: "export const findLinkProblem = () => undefined;",
    test: "seal/seal.test.js",
    pattern: "symbolic link leads",
  },
  {
    guard: "seal/names/path.js",
    source: `export const findPathProblem = () => undefined;
export const hasControlCharacter = () => false;`,
    test: "seal/seal.test.js",
    pattern: "another spelling|control character",
  },
  {
    guard: "seal/names/dot-git.js",
    source: "export const isDotGit = () => false;",
    test: "seal/seal.test.js",
    pattern: "another spelling",
  },
  {
    guard: "seal/source/check-file-type.js",
    source: `export const checkFileType = (_path, mode) =>
  (mode & 0o170000) === 0o040000 ? "directory" : (mode & 0o170000) === 0o120000 ? "link" : "file";`,
    test: "seal/seal.test.js",
    pattern: "setuid",
  },
  {
    guard: "seal/source/check-ref.js",
    source: "export const checkRef = (ref) => ref;",
    test: "seal/source/arguments.test.js",
    pattern: "ref that is an option",
  },
  {
    guard: "seal/source/check-url.js",
    source: `export const looksLikeUrl = (text) => text.includes(":");
export const checkGitUrl = (url) => url;
export const normaliseRemote = (url) => url;`,
    test: "seal/source/arguments.test.js",
    pattern: "refuses ext",
  },
  {
    guard: "seal/canonical/compare.js",
    source: `export const compareCanonical = () => ({ kind: "same", complete: true });`,
    test: "seal/canonical/canonical.test.js",
    pattern: "planted hook",
  },
  {
    guard: "quarantine/admit.js",
    source: `export const EMPTY_ADMISSION = {};
export const admit = (state, entry) => ({
  state,
  admission: { kind: "file", path: entry.path.toString(), executable: false },
});`,
    test: "quarantine/collect.test.js",
    pattern: "an absolute path",
  },
  {
    guard: "quarantine/portable.js",
    source: "export const isPortablePath = () => true;",
    test: "quarantine/collect.test.js",
    pattern: "backslash",
  },
  {
    guard: "quarantine/fold.js",
    source: "export const foldPath = (path) => path;",
    test: "quarantine/collect.test.js",
    pattern: "differs in case",
  },
];

describe("without its guard", () => {
  for (const { guard, source, test, pattern } of MUTATIONS) {
    it(`${guard}, a test of ${test} fails`, () => {
      const file = new URL(`../${test}`, import.meta.url);
      // That the same tests pass with the guard in place is what the suite itself shows.
      const module = `packages/trial/dist/${guard}`;
      assert.equal(runTestFileWithSwaps(file, [{ module, source }], pattern).failed, true);
    });
  }
});
