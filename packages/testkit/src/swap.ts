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

/**
 * Runs one compiled test file with guards replaced. A mutation test asserts that `failed` is
 * true: the test file has to notice that the guard is gone.
 */
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
