import { type DrydockError, type Refusal, readGates, readRefusals } from "@drydock/evidence";
import type { CommandExit, Outcome } from "../exit.js";
import type { ExecResult, LabReport } from "../sdk/types.js";
import { visible } from "../terminal/sanitise.js";
import type { Style } from "../terminal/style.js";
import { gatesToShow } from "./gates-to-show.js";

/** The one line of `drydock run --json`; docs/command-line.md describes it. */
export interface Summary {
  /** Null when nothing was started. */
  readonly run: string | null;
  readonly evidence: string | null;
  readonly verdict: Outcome;
  readonly tier: null;
  readonly exit: { readonly code: number } | { readonly signal: number } | null;
  readonly durationMs: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly denied: number;
  /** Those that failed, of a run that is FAIL. */
  readonly gates?: readonly { readonly id: string; readonly result: string }[];
  readonly findings: readonly { readonly code: string; readonly message: string }[];
}

/**
 * A run that was refused before its machine came into being could not run: it is BLOCKED, and its
 * evidence is incomplete because there is so little of it.
 */
export const outcomeOf = ({ verdict, bodyStarted, ending }: LabReport): Outcome => {
  if (verdict === null) return "BLOCKED";
  const refused = ending === "halted" || ending.startsWith("failed:");
  return verdict === "INCOMPLETE" && !bodyStarted && refused ? "BLOCKED" : verdict;
};

export const summarise = (report: LabReport, result: ExecResult | null): Summary => ({
  run: report.run,
  evidence: report.evidence,
  verdict: outcomeOf(report),
  tier: null,
  exit: exitOf(result?.exit ?? null),
  durationMs: report.durationMs,
  phases: report.phases,
  denied: report.denied,
  ...failedGates(report),
  findings: [...whyItEnded(report), ...report.findings],
});

/** As `verify` names them: without, a run whose source changed would be a FAIL without a reason. */
const failedGates = ({ verdict, evidence }: LabReport): Pick<Summary, "gates"> => {
  if (verdict !== "FAIL") return {};
  try {
    const gates = gatesToShow(readGates(evidence), false);
    return { gates: gates.map(({ id, result }) => ({ id, result })) };
  } catch {
    // `verify` tells of a verdict that can't be read; this is a convenience.
    return {};
  }
};

/** The same for a run that was refused before there was one. */
export const summariseBlocked = (error: DrydockError, durationMs: number): Summary => ({
  run: null,
  evidence: null,
  verdict: "BLOCKED",
  tier: null,
  exit: null,
  durationMs,
  phases: {},
  denied: 0,
  findings: [{ code: error.code, message: withFix(error.message, error.fix ?? null) }],
});

/** What a run that didn't complete ended with: without it a reader would have to search the logs. */
const whyItEnded = ({ ending, refusal }: LabReport): Summary["findings"] => {
  if (ending === "completed") return [];
  // Of other endings the refusals are only what the end itself broke off.
  return ending.startsWith("failed:") && refusal !== null
    ? [{ code: refusal.code, message: withFix(refusal.message, refusal.fix) }]
    : [{ code: "RUN_STOPPED", message: `the run was stopped: ${ending}` }];
};

const withFix = (message: string, fix: string | null): string =>
  fix === null ? message : `${message}; fix: ${fix}`;

const exitOf = (exit: CommandExit | null): Summary["exit"] =>
  exit === null ? null : exit.kind === "code" ? { code: exit.code } : { signal: exit.signal };

/** More than these are in the log: a person allows some and runs it again. */
const MAX_REFUSALS = 8;

/** What a broker refused. Without a list the count stands alone. */
export const refusalsOf = ({ denied, evidence }: Summary): readonly Refusal[] => {
  if (denied === 0 || evidence === null) return [];
  try {
    return readRefusals(evidence);
  } catch {
    // The verdict tells of a log that can't be read; this is a convenience.
    return [];
  }
};

/** The end of a run for a person. */
export const describe = (
  summary: Summary,
  style: Style,
  refusals: readonly Refusal[] = refusalsOf(summary),
): string => {
  const { verdict, exit, durationMs, denied, gates = [], findings, evidence } = summary;
  const shown = verdict === "PASS" ? style.good("PASS") : style.bad(verdict);
  const ended =
    exit === null
      ? "the command did not end by itself"
      : "code" in exit
        ? `the command exited ${exit.code}`
        : `the command was ended by signal ${exit.signal}`;
  return [
    `${style.bold("verdict")}  ${shown}  ${style.dim(`(${ended}; ${durationMs} ms)`)}`,
    ...(verdict === "PASS" ? [style.dim(`         ${MEANING}`)] : []),
    ...gates.map(({ id, result }) => `${style.warn("gate")}     ${result}  ${visible(id)}`),
    ...findings.map(
      ({ code, message }) => `${style.warn("finding")}  ${code}: ${visible(message)}`,
    ),
    ...(denied === 0
      ? []
      : [`${style.warn("denied")}   ${attempts(denied)}; logs/*.jsonl in the evidence say which`]),
    ...refusals.slice(0, MAX_REFUSALS).map(refusalLine),
    ...(refusals.length > MAX_REFUSALS
      ? [`         and ${refusals.length - MAX_REFUSALS} more`]
      : []),
    `${style.bold("evidence")} ${evidence}`,
    "",
  ].join("\n");
};

const refusalLine = ({ authority, reason, count }: Refusal): string =>
  `         ${authority === "" ? "(no name)" : visible(authority, 80)}  ${visible(reason, 80)}${count === 1 ? "" : `, ${count} times`}`;

const attempts = (count: number): string =>
  count === 1 ? "1 attempt was refused" : `${count} attempts were refused`;

const MEANING =
  "It ran inside the sealed topology, used no channel beyond those granted, and stayed within its bounds.";
