import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Replace the module whose compiled path ends with `module` by `source`, an ES module text. */
export interface Swap {
  /** Ending of the compiled file's URL, e.g. "packages/evidence/dist/json/parse.js". */
  readonly module: string;
  /** Must export every name that the original exports. */
  readonly source: string;
}

/** Environment for a child process in which the swaps hold, in its own Node children as well. */
export const swapEnvironment = (
  swaps: readonly Swap[],
  base: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => ({
  ...base,
  NODE_OPTIONS: `${base["NODE_OPTIONS"] ?? ""} --import=${new URL("./register.js", import.meta.url).href}`,
  DRYDOCK_TEST_SWAPS: JSON.stringify(swaps),
});

/**
 * Arguments for a Node process in which the swaps hold, and in its Node children where it hands its
 * own arguments on (`process.execArgv`); also where nobody's environment is handed on.
 */
export const swapArguments = (swaps: readonly Swap[]): readonly string[] => {
  const register = new URL("./register.js", import.meta.url);
  register.searchParams.set("swaps", JSON.stringify(swaps));
  return [`--import=${register.href}`];
};

/** Runs one compiled test file with guards replaced. */
export const runTestFileWithSwaps = (
  testFile: URL,
  swaps: readonly Swap[],
  namePattern?: string,
): { failed: boolean; output: string } => {
  const environment = swapEnvironment(swaps);
  // node --test refuses to nest while this marker is inherited from an outer test runner.
  delete environment["NODE_TEST_CONTEXT"];
  const result = spawnSync(
    process.execPath,
    [
      "--test",
      "--test-reporter=tap",
      ...(namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`]),
      fileURLToPath(testFile),
    ],
    { env: environment, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  return { failed: result.status !== 0, output: result.stdout + result.stderr };
};

/** How Node says that an import came to nothing: a test that cannot run notices nothing. */
const UNLOADABLE = /does not provide an export|ERR_MODULE_NOT_FOUND/;
/** A test that failed, and not the file as a whole, which TAP lists by its path. */
const FAILED_TEST = /^ *not ok \d+ - (?!\S+\.test\.js$)/m;

/**
 * Asserts that a compiled test file notices that guards are replaced: that one of its tests fails,
 * and not the loading of the replacement. That it passes with the guards in place is what its own run
 * shows.
 *
 * @returns the run's TAP output
 */
export const assertNoticed = (
  testFile: URL,
  swaps: readonly Swap[],
  namePattern?: string,
): string => {
  const { failed, output } = runTestFileWithSwaps(testFile, swaps, namePattern);
  assert.ok(failed, `nothing noticed:\n${output}`);
  assert.doesNotMatch(output, UNLOADABLE);
  assert.match(output, FAILED_TEST);
  return output;
};
