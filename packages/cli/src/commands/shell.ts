import { Writable } from "node:stream";
import { DrydockError } from "@drydock/evidence";
import type { RunSpec } from "@drydock/trial";
import { runExitCode, verdictExitCode } from "../exit.js";
import { createLabFor, LabRefused } from "../sdk/lab.js";
import type { ExecResult, Lab, LabReport } from "../sdk/types.js";
import { createProgress } from "../terminal/progress.js";
import { createSanitiser } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { windowSize } from "../terminal/window-size.js";
import { egressOf, type RunFlags, specFromFlags } from "./flags.js";
import { PHASE_TEXT } from "./phase-text.js";
import { DIRECTLY, isProvided, type Starter } from "./starter.js";
import { describe, outcomeOf, summarise } from "./summary.js";
import { handOver, requireWritable } from "./summary-file.js";

/** `drydock shell`: a terminal in the lab. Output passes a filter that lets colours and cursor by. */
export const shellCommand = async (
  flags: RunFlags,
  argv: readonly string[],
  starter: Starter = DIRECTLY,
): Promise<number> => {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    throw new DrydockError("NO_TERMINAL", "drydock shell needs a terminal on both sides", {
      fix: "Use `drydock run -i -- COMMAND` for pipes.",
    });
  const command = starter.argv(argv.length === 0 ? ["/bin/sh"] : argv);
  const given = flags.env ?? [];
  const term = given.some((pair) => pair.startsWith("TERM="))
    ? []
    : [`TERM=${process.env["TERM"] ?? "xterm"}`];
  const spec = specFromFlags({ ...flags, env: [...given, ...term] }, command);
  const style = chooseStyle(stderr.isTTY === true, process.env);
  const progress = createProgress(stderr, style);
  if (flags.jsonFile !== undefined) requireWritable(flags.jsonFile);
  let result: ExecResult | null = null;
  let report: LabReport;
  try {
    const lab = await createLabFor(spec, {
      terminal: true,
      ...egressOf(flags),
      ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
      onPhase: (phase) => {
        const text = PHASE_TEXT[phase];
        if (text !== undefined) progress.step(text);
      },
    });
    if (await isProvided(starter, lab, spec, progress)) {
      progress.clear();
      result = await converse(lab, command, spec, starter);
    }
    report = await lab.close();
  } catch (error) {
    if (!(error instanceof LabRefused) || error.report.verdict === null) throw error;
    report = error.report;
  }
  progress.clear();
  const outcome = outcomeOf(report);
  const summary = summarise(report, result);
  handOver(summary, flags);
  if (flags.json !== true && flags.quiet !== true) stderr.write(describe(summary, style));
  return spec.exit === "verdict"
    ? verdictExitCode(outcome)
    : runExitCode(outcome, result?.exit ?? null, report.deadline);
};

/** The terminal is the command's until it ends. Null when the run ended under it. */
const converse = async (
  lab: Lab,
  command: readonly string[],
  spec: RunSpec,
  starter: Starter,
): Promise<ExecResult | null> => {
  const { stdin, stdout } = process;
  const filter = createSanitiser("interactive");
  const running = await lab.start(command, {
    ...starter.as(spec),
    ...(spec.cwd === null ? {} : { cwd: spec.cwd }),
    tty: windowSize(stdout),
    stdin,
    stdout: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        stdout.write(filter(chunk), (error) => done(error ?? null));
      },
    }),
  });
  const resize = (): void => {
    const { rows, cols } = windowSize(stdout);
    // A size that arrives too late changes nothing.
    running.resize(rows, cols).catch(() => undefined);
  };
  stdin.setRawMode(true);
  stdout.on("resize", resize);
  try {
    return await running.result;
  } catch {
    // The run ended under the shell; the report says how.
    return null;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stdout.removeListener("resize", resize);
  }
};
