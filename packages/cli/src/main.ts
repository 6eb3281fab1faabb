#!/usr/bin/env node
import { DrydockError, isDrydockError, withSystemErrors } from "@drydock/evidence";
import { CommanderError } from "commander";
import { buildProgram } from "./cli.js";
import { summariseBlocked } from "./commands/summary.js";
import { errorExitCode, isBlocked } from "./exit.js";
import { describeError, errorJson } from "./output.js";
import { chooseStyle } from "./terminal/style.js";
import { handsStatusThrough } from "./verbs/name.js";

const given = process.argv.slice(2);
/** What follows `--` belongs to the command in the guest. */
const own = given.includes("--") ? given.slice(0, given.indexOf("--")) : given;
const wantsJson = own.includes("--json");
const wantsVerdict = own.some(
  (argument, index) =>
    argument === "--exit=verdict" || (argument === "--exit" && own[index + 1] === "verdict"),
);

const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  return errorExitCode(
    isDrydockError(error) ? error.code : null,
    handsStatusThrough(own),
    wantsVerdict ? "verdict" : "command",
  );
};

const asUsageError = ({ message }: CommanderError): DrydockError =>
  new DrydockError("USAGE", message.replace(/^error: /, ""), { fix: "See --help." });

/** A run that could not start is a run as far as its reader goes; any other error is one. */
const jsonOf = (error: unknown): string =>
  isDrydockError(error) && handsStatusThrough(own) && isBlocked(error.code)
    ? `${JSON.stringify(summariseBlocked(error, Math.round(performance.now())))}\n`
    : errorJson(error);

const main = async (): Promise<void> => {
  try {
    await buildProgram((code) => {
      process.exitCode = code;
    }).parseAsync(process.argv);
  } catch (thrown) {
    const error = withSystemErrors(thrown);
    process.exitCode = exitCodeOf(error);
    const usage = error instanceof CommanderError;
    if (wantsJson && process.exitCode !== 0)
      process.stdout.write(jsonOf(usage ? asUsageError(error) : error));
    // Commander has already said what was wrong with the command line.
    if (!usage)
      process.stderr.write(
        describeError(error, chooseStyle(process.stderr.isTTY === true, process.env)),
      );
  }
};

void main();
