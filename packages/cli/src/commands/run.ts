import { writeFileSync } from "node:fs";
import { Writable } from "node:stream";
import type { RunSpecInput } from "@drydock/trial";
import {
  type CommandExit,
  EXIT_RUN_ERROR,
  type Outcome,
  runExitCode,
  verdictExitCode,
} from "../exit.js";
import { createLabFor, LabRefused, parseSpec } from "../sdk/lab.js";
import type { ExecResult, Lab, LabReport } from "../sdk/types.js";
import { createProgress, SILENT } from "../terminal/progress.js";
import { createSanitiser, visible } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";

export interface RunFlags {
  readonly source?: string;
  readonly ref?: string;
  readonly workingTree?: boolean;
  readonly image?: string;
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly user?: string;
  readonly artifact?: readonly string[];
  readonly cpus?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly timeout?: string;
  readonly idle?: string;
  readonly output?: string;
  readonly console?: string;
  readonly maxArtifacts?: string;
  readonly artifactSize?: string;
  readonly artifactDepth?: string;
  readonly guestPids?: string;
  readonly guestFds?: string;
  readonly snapshot: boolean;
  readonly stdin?: boolean;
  readonly key?: string;
  readonly exit: "command" | "verdict";
  readonly json?: boolean;
  readonly jsonFile?: string;
  readonly quiet?: boolean;
}

/** Flags as the specification that a file could hold as well. @throws DrydockError SPEC_INVALID */
export const specFromFlags = (flags: RunFlags, argv: readonly string[]) => {
  const limits = {
    ...number("cpus", flags.cpus),
    ...text("memory", flags.memory),
    ...text("disk", flags.disk),
    ...text("wall", flags.timeout),
    ...text("idle", flags.idle),
    ...text("output", flags.output),
    ...text("console", flags.console),
    ...number("artifacts", flags.maxArtifacts),
    ...text("artifactSize", flags.artifactSize),
    ...number("artifactDepth", flags.artifactDepth),
    ...number("guestPids", flags.guestPids),
    ...number("guestFds", flags.guestFds),
  };
  const input: RunSpecInput = {
    command: argv.length === 0 ? null : [...argv],
    env: Object.fromEntries(
      (flags.env ?? []).map((pair) => {
        const at = pair.indexOf("=");
        return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
      }),
    ),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.user === undefined ? {} : { user: flags.user }),
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.source === undefined
      ? {}
      : {
          source: {
            from: flags.source,
            ...(flags.ref === undefined ? {} : { ref: flags.ref }),
            ...(flags.workingTree === true ? { workingTree: true } : {}),
          },
        }),
    artifacts: [...(flags.artifact ?? [])],
    snapshot: flags.snapshot,
    exit: flags.exit,
    limits,
  };
  return parseSpec(input);
};

const text = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: value };
/** What is no number stays text, and the schema says what is wrong with it. */
const number = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: /^[0-9]+$/.test(value) ? Number(value) : value };

/** `drydock run`: returns the exit status. */
export const runCommand = async (flags: RunFlags, argv: readonly string[]): Promise<number> => {
  const spec = specFromFlags(flags, argv);
  const style = chooseStyle(process.stderr.isTTY === true, process.env);
  const progress = flags.quiet === true ? SILENT : createProgress(process.stderr, style);
  const interrupted = new AbortController();
  const interrupt = (): void => {
    // Asked twice: leave at once; the reaper removes the run.
    if (interrupted.signal.aborted) process.exit(EXIT_RUN_ERROR);
    interrupted.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  let result: ExecResult | null = null;
  let report: LabReport;
  try {
    const lab = await createLabFor(spec, {
      signal: interrupted.signal,
      ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
      onPhase: (phase) => {
        const text = PHASE_TEXT[phase];
        if (text !== undefined) progress.step(text);
      },
      onNote: (note) => progress.note(note),
    });
    progress.clear();
    result = await runIn(lab, argv, spec, flags, progress);
    report = await lab.close();
  } catch (error) {
    if (!(error instanceof LabRefused)) throw error;
    report = error.report;
    if (report.verdict === null) throw error;
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
    progress.clear();
  }
  const summary = summarise(report, result);
  if (flags.jsonFile !== undefined) writeFileSync(flags.jsonFile, `${JSON.stringify(summary)}\n`);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else if (flags.quiet !== true) process.stderr.write(describe(report, summary, style));
  const outcome: Outcome = report.verdict ?? "BLOCKED";
  return spec.exit === "verdict"
    ? verdictExitCode(outcome)
    : runExitCode(outcome, result?.exit ?? null, report.deadline);
};

const runIn = async (
  lab: Lab,
  argv: readonly string[],
  spec: ReturnType<typeof parseSpec>,
  flags: RunFlags,
  progress: { clear(): void },
): Promise<ExecResult | null> => {
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
      env: spec.env,
      ...(spec.cwd === null ? {} : { cwd: spec.cwd }),
      user: `${spec.user.uid}:${spec.user.gid}`,
      ...(flags.stdin === true ? { stdin: process.stdin } : {}),
      stdout: through(out),
      stderr: through(err),
    });
  } catch {
    // The run ended under the command; the report says how.
    return null;
  }
};

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

interface Summary {
  readonly run: string;
  readonly evidence: string;
  readonly verdict: string;
  readonly tier: null;
  readonly exit: { readonly code: number } | { readonly signal: number } | null;
  readonly durationMs: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly denied: number;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

const summarise = (report: LabReport, result: ExecResult | null): Summary => ({
  run: report.run,
  evidence: report.evidence,
  verdict: report.verdict ?? "BLOCKED",
  tier: null,
  exit: exitOf(result?.exit ?? null),
  durationMs: report.durationMs,
  phases: report.phases,
  denied: report.denied,
  findings: report.findings,
});

const exitOf = (exit: CommandExit | ExecResult["exit"] | null): Summary["exit"] =>
  exit === null
    ? null
    : exit.kind === "code"
      ? { code: exit.code }
      : { signal: Number(exit.signal) };

const describe = (
  report: LabReport,
  summary: Summary,
  style: ReturnType<typeof chooseStyle>,
): string => {
  const verdict = summary.verdict === "PASS" ? style.good("PASS") : style.bad(summary.verdict);
  const { exit } = summary;
  const ended =
    exit === null
      ? `ended: ${visible(report.ending)}`
      : "code" in exit
        ? `the command exited ${exit.code}`
        : `the command was ended by signal ${exit.signal}`;
  const lines = [
    `${style.bold("verdict")}  ${verdict}  ${style.dim(`(${ended}; ${summary.durationMs} ms)`)}`,
    ...(report.verdict === "PASS"
      ? [
          style.dim(
            "         It ran inside the sealed topology, used no channel beyond those granted, and stayed within its bounds.",
          ),
        ]
      : []),
    ...(report.refusal === null || report.verdict === "PASS"
      ? []
      : [
          `         ${visible(report.refusal.message)}${report.refusal.fix === null ? "" : `\n         fix: ${visible(report.refusal.fix)}`}`,
        ]),
    ...report.findings.map(
      ({ code, message }) => `${style.warn("finding")}  ${code}: ${visible(message)}`,
    ),
    `${style.bold("evidence")} ${report.evidence}`,
    "",
  ];
  return lines.join("\n");
};

const PHASE_TEXT: Readonly<Record<string, string>> = {
  SEAL: "sealing the source and the machine",
  BOOT: "starting the machine",
  DRIVE: "running the command",
  COLLECT: "collecting",
  DESTROY: "removing the machine",
};
