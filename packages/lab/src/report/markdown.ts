import type { ScenarioReport } from "../scenario/index.js";
import {
  ABOUT_A_REAL_APPLIANCE,
  placeOf,
  type Rehearsed,
  reasonsOf,
  titleOf,
  unplayed,
} from "./document.js";

/** For a person who reviews it: what it is worth, the matrix, and how it ended. */
export const acceptanceMarkdown = (rehearsed: Rehearsed): string => {
  const { run, created, command, adapter, report } = rehearsed;
  const { passed, target, counts, exit, unexpected, scenarios } = report;
  const confirmed = (is: boolean): string => (is ? "confirmed" : "**not confirmed**");
  return [
    `# Acceptance ${run}: ${passed ? "PASS" : "FAIL"}`,
    "",
    `Rehearsed on a ${target.kind}. It authorises ${report.authorises}; claims about a real appliance are ${ABOUT_A_REAL_APPLIANCE}.`,
    "",
    "| | |",
    "|---|---|",
    row("created", created),
    row("command", code(command)),
    row("adapter", `${code(adapter.name)} ${code(adapter.digest)}`),
    row("target", `${target.kind}${target.digest === null ? "" : ` ${code(target.digest)}`}`),
    row(
      "scenarios",
      `${counts.passed} passed, ${counts.failed} failed, ${counts.notPlayed} not played`,
    ),
    row("permission revoked", confirmed(exit.permissionRevoked)),
    row("read-only", confirmed(exit.readOnlyConfirmed)),
    ...(unexpected === null ? [] : [row("ended by", code(placeOf(unexpected)))]),
    "",
    "| scenario | | ends in | sends, forward and back | target | the appliance is as | ms |",
    "|---|---|---|---|---|---|---|",
    ...scenarios.map(scenarioRow),
    ...unplayed(rehearsed).map((planned) =>
      row(code(titleOf(planned)), "not played", "", "", "", "", ""),
    ),
    "",
  ].join("\n");
};

const scenarioRow = (scenario: ScenarioReport): string => {
  const { passed, observed, durationMs } = scenario;
  const verdict = passed ? "PASS" : `**FAIL** ${reasonsOf(scenario).map(text).join("; ")}`;
  const seen =
    observed === null
      ? ["", "", "", ""]
      : [
          observed.state,
          `${observed.forwardSends}, ${observed.rollbackSends}`,
          observed.reservation,
          observed.appliance,
        ];
  return row(code(titleOf(scenario)), verdict, ...seen, `${durationMs}`);
};

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Neither ends a cell or a line, nor is markup. */
const text = (value: string): string =>
  value
    .replace(/[\u0000-\u001f\u007f]/g, " ")
    .replace(/[\\`*_{}[\]<>|&#!~]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A span of code has no escapes: what would end it, or its cell, becomes something else. */
const code = (value: string): string =>
  `\`${value.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/[`|]/g, "'")}\``;
