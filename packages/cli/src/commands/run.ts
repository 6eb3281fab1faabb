import { writeFileSync } from "node:fs";
import { Writable } from "node:stream";
import { isDrydockError } from "@drydock/evidence";
import type { RunSpec } from "@drydock/trial";
import { EXIT_RUN_ERROR, isBlocked, runExitCode, verdictExitCode } from "../exit.js";
import { createLabFor, LabRefused } from "../sdk/lab.js";
import type { ExecResult, Lab, LabReport } from "../sdk/types.js";
import { createProgress, type Progress, SILENT } from "../terminal/progress.js";
import { createSanitiser } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { egressOf, type RunFlags, specFromFlags } from "./flags.js";
import { PHASE_TEXT } from "./phase-text.js";
import { DIRECTLY, isProvided, type Starter } from "./starter.js";
import { describe, outcomeOf, summarise, summariseBlocked } from "./summary.js";
import { handOver, requireWritable } from "./summary-file.js";

/** `drydock run`: returns the exit status. */
export const runCommand = async (
  flags: RunFlags,
  argv: readonly string[],
  starter: Starter = DIRECTLY,
): Promise<number> => {
  const started = starter.argv(argv);
  const spec = specFromFlags(flags, started);
  if (flags.jsonFile !== undefined) requireWritable(flags.jsonFile);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = flags.quiet === true ? SILENT : createProgress(process.stderr, style);
  const began = performance.now();
  try {
    const { report, result } = await runOnce(spec, started, flags, progress, starter);
    const summary = summarise(report, result);
    handOver(summary, flags);
    if (flags.json !== true && flags.quiet !== true) process.stderr.write(describe(summary, style));
    return spec.exit === "verdict"
      ? verdictExitCode(summary.verdict)
      : runExitCode(outcomeOf(report), result?.exit ?? null, report.deadline);
  } catch (error) {
    if (flags.jsonFile !== undefined && isDrydockError(error) && isBlocked(error.code)) {
      const blocked = summariseBlocked(error, Math.round(performance.now() - began));
      writeFileSync(flags.jsonFile, `${JSON.stringify(blocked)}\n`);
    }
    throw error;
  }
};

interface Ran {
  readonly report: LabReport;
  /** Null when the run ended under the command, or before it. */
  readonly result: ExecResult | null;
}

const runOnce = async (
  spec: RunSpec,
  argv: readonly string[],
  flags: RunFlags,
  progress: Progress,
  starter: Starter,
): Promise<Ran> => {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    // Asked twice: leave at once; the reaper removes the run.
    if (interrupted.signal.aborted) process.exit(EXIT_RUN_ERROR);
    interrupted.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  // A reader that has gone (`… | head`) ends the command, not this process: see `through`.
  process.stdout.on("error", () => undefined);
  try {
    const lab = await createLabFor(spec, {
      signal: interrupted.signal,
      ...egressOf(flags),
      ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
      onPhase: (phase) => {
        const text = PHASE_TEXT[phase];
        if (text !== undefined) progress.step(text);
      },
      onNote: (note) => progress.note(note),
    });
    const result = await runIn(lab, argv, spec, flags, progress, starter);
    return { report: await lab.close(), result };
  } catch (error) {
    // Without a verdict there is nothing but the reason.
    if (!(error instanceof LabRefused) || error.report.verdict === null) throw error;
    return { report: error.report, result: null };
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
    progress.clear();
  }
};

const runIn = async (
  lab: Lab,
  argv: readonly string[],
  spec: RunSpec,
  flags: RunFlags,
  progress: Progress,
  starter: Starter,
): Promise<ExecResult | null> => {
  if (!(await isProvided(starter, lab, spec, progress))) return null;
  progress.clear();
  const filtered = (stream: NodeJS.WriteStream) => ({
    stream,
    filter: stream.isTTY === true ? createSanitiser("plain") : null,
  });
  // With --json the one object is all that stdout holds; the command's output goes beside it.
  const out = filtered(flags.json === true ? process.stderr : process.stdout);
  const err = filtered(process.stderr);
  try {
    return await lab.exec(argv, {
      ...starter.as(spec),
      ...(spec.cwd === null ? {} : { cwd: spec.cwd }),
      ...(flags.stdin === true ? { stdin: process.stdin } : {}),
      stdout: through(out),
      stderr: through(err),
    });
  } catch {
    // The run ended under the command; the report says how.
    return null;
  }
};

/** A stream of this process as one that a command writes to; when it breaks, the command hears. */
const through = ({
  stream,
  filter,
}: {
  readonly stream: NodeJS.WriteStream;
  readonly filter: ((chunk: Uint8Array) => Uint8Array) | null;
}): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      stream.write(filter === null ? chunk : filter(chunk), (error) => done(error ?? null));
    },
  });
