import { describe, it } from "node:test";
import { assertNoticed } from "@drydock/testkit";

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
    guard: "seal/git/jailed-runner.js",
    source: `import { composeGitCommand } from "./command.js";
import { startBoundedProcess } from "./process.js";
import { jailArguments } from "./jailed-runner.js?original";
export * from "./jailed-runner.js?original";
const weaker = (args) => args.map((item) => (item === "--ro" ? "--rw" : item));
export const jailedGitRunner = (jail) => (call) => {
  const command = composeGitCommand(call, { vault: "/vault", objects: "/objects", workTree: "/work" });
  const environment = Object.entries(command.environment).flatMap(([name, value]) => ["--env", name + "=" + value]);
  return startBoundedProcess({
    program: jail.launcher,
    args: [...weaker(jailArguments(jail, call, process.pid)), ...environment, "--", ...command.argv],
    environment: {}, cwd: "/", deadlineMs: call.deadlineMs, outputBytes: call.outputBytes, status: true,
  });
};`,
    test: "seal/git/jail.test.js",
    pattern: "lets git write the vault and nothing",
  },
  {
    guard: "seal/git/jailed-runner.js",
    source: `import { composeGitCommand } from "./command.js";
import { startBoundedProcess } from "./process.js";
import { jailArguments } from "./jailed-runner.js?original";
export * from "./jailed-runner.js?original";
const weaker = (args) => args.filter((item) => item !== "--uid" && item !== "--gid" && item !== "1900000001");
export const jailedGitRunner = (jail) => (call) => {
  const command = composeGitCommand(call, { vault: "/vault", objects: "/objects", workTree: "/work" });
  const environment = Object.entries(command.environment).flatMap(([name, value]) => ["--env", name + "=" + value]);
  return startBoundedProcess({
    program: jail.launcher,
    args: [...weaker(jailArguments(jail, call, process.pid)), ...environment, "--", ...command.argv],
    environment: {}, cwd: "/", deadlineMs: call.deadlineMs, outputBytes: call.outputBytes, status: true,
  });
};`,
    test: "seal/git/jail.test.js",
    pattern: "a user of its own",
  },
  {
    guard: "seal/git/jailed-runner.js",
    source: `import { composeGitCommand } from "./command.js";
import { startBoundedProcess } from "./process.js";
import { jailArguments } from "./jailed-runner.js?original";
export * from "./jailed-runner.js?original";
const weaker = (args) => args.map((item) => item.replace(/,net$/, ""));
export const jailedGitRunner = (jail) => (call) => {
  const command = composeGitCommand(call, { vault: "/vault", objects: "/objects", workTree: "/work" });
  const environment = Object.entries(command.environment).flatMap(([name, value]) => ["--env", name + "=" + value]);
  return startBoundedProcess({
    program: jail.launcher,
    args: [...weaker(jailArguments(jail, call, process.pid)), ...environment, "--", ...command.argv],
    environment: {}, cwd: "/", deadlineMs: call.deadlineMs, outputBytes: call.outputBytes, status: true,
  });
};`,
    test: "seal/git/jail.test.js",
    pattern: "no other file, process or network",
  },
  {
    guard: "seal/git/command.js",
    source: `import { composeGitCommand as original } from "./command.js?original";
export * from "./command.js?original";
export const composeGitCommand = (call, layout) => {
  const { argv, environment } = original(call, layout);
  return { argv: argv.filter((item) => !item.startsWith("--git-dir=")), environment: { ...process.env, ...environment } };
};`,
    test: "seal/traps.test.js",
    pattern: "ignores GIT_DIR",
  },
  {
    guard: "seal/repository/locate.js",
    source: `import { join } from "node:path";
import { locateRepository as original } from "./locate.js?original";
export * from "./locate.js?original";
export const locateRepository = (directory) => {
  try {
    return original(directory);
  } catch (error) {
    if (error.code !== "REPOSITORY_REDIRECTED") throw error;
    const gitDirectory = join(directory, ".git");
    return { workTree: directory, gitDirectory, commonDirectory: gitDirectory, prefix: "" };
  }
};`,
    test: "seal/repository/repository.test.js",
    pattern: "refuses a .git file that",
  },
  {
    guard: "seal/archive/check-entry.js",
    source: `export * from "./check-entry.js?original";
export const checkNotLfsPointer = () => undefined;`,
    test: "seal/seal.test.js",
    pattern: "LFS pointer",
  },
  {
    guard: "seal/archive/check-entry.js",
    source: `export * from "./check-entry.js?original";
export const checkFileSize = () => undefined;
export const checkTotals = () => undefined;`,
    test: "seal/seal.test.js",
    pattern: "beyond a named limit",
  },
  {
    guard: "seal/archive/check-entry.js",
    source: `export * from "./check-entry.js?original";
export const checkSealedLink = (_path, target) => target.toString("utf8");`,
    test: "seal/seal.test.js",
    pattern: "symbolic link leads",
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
      assertNoticed(file, [{ module, source }], pattern);
    });
  }
});
