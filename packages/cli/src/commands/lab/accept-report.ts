import type { GateResult, Verdict } from "@drydock/evidence";
import {
  type RehearsalEvent,
  type RehearsalReport,
  type Rehearsed,
  reasonsOf,
  type Scan,
  type ScenarioReport,
  titleOf,
  unplayed,
} from "@drydock/lab";
import type { Progress } from "../../terminal/progress.js";
import { visible } from "../../terminal/sanitise.js";
import type { Style } from "../../terminal/style.js";
import type { LeftRehearsal } from "./sweep-rehearsals.js";

/** One rehearsal as its verb tells it. */
export interface Acceptance {
  readonly rehearsed: Rehearsed & { readonly report: RehearsalReport };
  readonly verdict: Verdict;
  readonly gates: readonly GateResult[];
  /** Null when nobody could search. */
  readonly scan: Scan | null;
  /** False: evidence and reports are in quarantine. */
  readonly isKept: boolean;
  readonly evidence: string;
  readonly output: string | null;
  /** Of this rehearsal and of earlier ones, where a supervisor was killed. */
  readonly left: readonly LeftRehearsal[];
}

/** A line for each thing that is told while it goes on. */
export const told = (
  event: RehearsalEvent,
  progress: Progress,
  { played, planned }: { readonly played: number; readonly planned: number },
): void => {
  switch (event.type) {
    case "began":
      progress.note(`${event.planned} scenarios on the stand-in ${event.digest}`);
      return;
    case "scenario": {
      const { report } = event;
      const outcome = report.passed ? "passed" : `FAILED: ${reasonsOf(report).join("; ")}`;
      const line = `${played}/${planned} ${titleOf(report)}: ${outcome} (${report.durationMs} ms)`;
      if (report.passed) progress.step(line);
      else progress.note(visible(line, 400));
      return;
    }
    case "exit":
      // If it isn't so, the supervisor itself has said that, and what to do.
      if (event.report.permissionRevoked && event.report.readOnlyConfirmed)
        progress.step("the permission was taken away, and that was looked at");
  }
};

/** The one object of `--json`. */
export const acceptanceObject = (acceptance: Acceptance) => {
  const { rehearsed, verdict, gates, scan, evidence, output, isKept } = acceptance;
  const { run, command, report } = rehearsed;
  const { target, authorises, counts, scenarios, exit, unexpected } = report;
  return {
    ...{ run, evidence, output, verdict, command, target, authorises },
    realAppliance: "NOT_PROVISIONED",
    counts,
    scenarios: scenarios.map((scenario) => ({
      ...{ name: scenario.name, variant: scenario.variant, passed: scenario.passed },
      ...{
        failures: scenario.failures,
        unexpected: scenario.unexpected,
        durationMs: scenario.durationMs,
      },
    })),
    ...{ exit, unexpected },
    scan: scan === null ? null : { ...scan, found: scan.found.length },
    quarantined: !isKept,
    abandoned: acceptance.left,
    gates: failed(gates),
  };
};

const failed = (gates: readonly GateResult[]): readonly Pick<GateResult, "id" | "result">[] =>
  gates.filter(({ result }) => result !== "PASS").map(({ id, result }) => ({ id, result }));

/** The matrix, how it ended, and the verdict. */
export const describe = (acceptance: Acceptance, style: Style): string => {
  const { rehearsed, verdict, gates, scan, evidence, output, isKept } = acceptance;
  const { report } = rehearsed;
  const { exit, counts, target } = report;
  const width = Math.max(...rehearsed.planned.map((planned) => titleOf(planned).length));
  const good = (is: boolean, yes: string, no: string): string =>
    is ? style.good(yes) : style.bad(no);
  return [
    style.dim(`     ${"scenario".padEnd(width)}  ${COLUMNS}`),
    ...report.scenarios.map((scenario) => scenarioLine(scenario, width, style)),
    ...unplayed(rehearsed).map(
      (planned) => `${style.warn("–   ")} ${titleOf(planned).padEnd(width)}  not played`,
    ),
    "",
    `scenarios  ${counts.passed} passed, ${counts.failed} failed, ${counts.notPlayed} not played`,
    `exit       permission ${good(exit.permissionRevoked, "revoked", "NOT KNOWN TO BE REVOKED")}, ${good(exit.readOnlyConfirmed, "read-only", "NOT KNOWN TO BE READ-ONLY")}, ${good(exit.destroyed, "keys and stores destroyed", isCleared(report) ? "what was left was removed afterwards" : "SOMETHING IS LEFT")}`,
    ...(exit.permissionRevoked
      ? []
      : [style.bad("           TAKE THE PERMISSION AWAY BY HAND, NOW")]),
    ...(exit.cause === "played" ? [] : [`           ended before its end: ${exit.cause}`]),
    ...(report.unexpected === null ? [] : [`           ${visible(report.unexpected.code)}`]),
    ...exit.contracts.map(
      ({ scenario, contractId, state }) =>
        `contract   ${visible(contractId)} of ${visible(scenario)} was left, and is ${state}`,
    ),
    `search     ${searchText(scan, style)}`,
    ...failed(gates).map(({ id, result }) => `gate       ${result}  ${visible(id)}`),
    `target     ${target.kind}; it authorises ${report.authorises}, and claims about a real appliance are NOT_PROVISIONED`,
    `evidence   ${visible(evidence)}${isKept ? "" : style.bad(" (quarantined)")}`,
    ...(output === null ? [] : [`reports    ${visible(output)}`]),
    `verdict    ${good(verdict === "PASS", verdict, verdict)}`,
    "",
  ].join("\n");
};

/** By whoever saw that the supervisor had ended without doing it. */
const isCleared = ({ abandoned }: RehearsalReport): boolean =>
  abandoned.length > 0 && abandoned.every(({ removed }) => removed);

const COLUMNS = "ends in          sends  target   appliance     ms";

const scenarioLine = (scenario: ScenarioReport, width: number, style: Style): string => {
  const { passed, observed, durationMs } = scenario;
  const seen =
    observed === null
      ? "".padEnd(43)
      : [
          observed.state.padEnd(16),
          `${observed.forwardSends}, ${observed.rollbackSends}`.padEnd(6),
          observed.reservation.padEnd(8),
          observed.appliance.padEnd(9),
        ].join(" ");
  const line = `${titleOf(scenario).padEnd(width)}  ${seen} ${`${durationMs}`.padStart(6)}`;
  const reasons = reasonsOf(scenario).map((reason) => `\n     ${visible(reason, 200)}`);
  return `${passed ? style.good("ok  ") : style.bad("FAIL")} ${line}${reasons.join("")}`;
};

const searchText = (scan: Scan | null, style: Style): string => {
  if (scan === null)
    return style.bad("nobody could search what was written: nothing of it is kept");
  const { files, values, found } = scan;
  const searched = `${files} files for ${values} values`;
  return found.length === 0
    ? `${searched}: none`
    : style.bad(`${searched}: ${[...new Set(found.map(({ value }) => value))].join(", ")}`);
};
