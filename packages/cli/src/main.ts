import { isDrydockError } from "@drydock/evidence";
import { CommanderError } from "commander";
import { buildProgram, RUN_VERBS } from "./cli.js";
import { EXIT_RUN_BLOCKED, EXIT_RUN_ERROR, EXIT_USAGE, verdictExitCode } from "./exit.js";
import { describeError, errorJson } from "./output.js";
import { chooseStyle } from "./terminal/style.js";

/** Errors that say "could not run here", not "was wrong". */
const BLOCKED_CODES: ReadonlySet<string> = new Set([
  "NOT_ROOT",
  "HALTED",
  "LEDGER_HALTED",
  "LEDGER_OVER_CEILING",
  "LIMIT_UNATTACHED",
  "SLOT_NONE_FREE",
]);

const [verb = ""] = process.argv.slice(2);
const wantsJson = process.argv.includes("--json");

const exitCodeOf = (error: unknown): number => {
  const run = RUN_VERBS.has(verb);
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? 0 : run ? EXIT_RUN_ERROR : EXIT_USAGE;
  if (isDrydockError(error) && BLOCKED_CODES.has(error.code))
    return run ? EXIT_RUN_BLOCKED : verdictExitCode("BLOCKED");
  return run ? EXIT_RUN_ERROR : EXIT_USAGE;
};

try {
  process.exitCode = await buildProgram((code) => {
    process.exitCode = code;
  })
    .parseAsync(process.argv)
    .then(() => process.exitCode ?? 0);
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // Commander has already said what was wrong with the command line.
  if (!(error instanceof CommanderError)) {
    if (wantsJson) process.stdout.write(errorJson(error));
    process.stderr.write(
      describeError(error, chooseStyle(process.stderr.isTTY === true, process.env)),
    );
  }
}
